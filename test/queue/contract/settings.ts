import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../src-main/contract/settings.ts';
import {
  fromJson,
  mergeSettings,
  moveState,
  readMailTypes,
  readStateAndSettings,
  readValue,
  seedSettings,
  writeValue,
} from '../../../src-main/queue/settings-table.ts';
import { type Bench, put } from '../bench.ts';

export function settingsContract(bench: () => Bench): void {
  const stored = async (name: string, json: string) => {
    const { place } = bench();
    await place.db.run(`DELETE FROM ${place.t.settings} WHERE name = ?`, [name]);
    await place.db.run(`INSERT INTO ${place.t.settings} (name, value, updated_at) VALUES (?, ?, 0)`, [
      name,
      json,
    ]);
  };

  describe('settings', () => {
    test('mail types are read as the shop’s connector wrote them; what is none is left out', async () => {
      const { place } = bench();
      expect(await readMailTypes(place)).toEqual([]);
      await stored(
        'email_types',
        '[{"id":"new_order","title":"Nová objednávka"},{"id":""},7,null,{"id":"x","title":5}]',
      );
      expect(await readMailTypes(place)).toEqual([
        { id: 'new_order', title: 'Nová objednávka' },
        { id: 'x', title: '' },
      ]);
      await stored('email_types', '{"a":1}');
      expect(await readMailTypes(place)).toEqual([]);
    });

    test('values come back as they went in, written by us or as JSON by the shop', async () => {
      const { place } = bench();
      for (const value of [
        'enabled',
        7,
        0,
        true,
        null,
        [],
        { a: [1, 'ě 💌'] },
        'O\'Brien "\\',
        ['x', { y: null }],
      ]) {
        await writeValue(place, 'email_types', value);
        expect(await readValue(place, 'email_types')).toEqual(value);
      }
      await stored('email_types', '[{"id":"customer_note","title":"Pozn\\u00e1mka \\ud83d\\udc8c"}]');
      expect(await readValue(place, 'email_types')).toEqual([{ id: 'customer_note', title: 'Poznámka 💌' }]);
      expect(await readValue(place, 'nothing of this name')).toBeUndefined();
    });

    test('a bare word, written by hand, is taken for itself', () => {
      expect(fromJson('enabled')).toBe('enabled');
      expect(fromJson('"enabled"')).toBe('enabled');
      expect(fromJson({ decoded: 'by the driver' })).toEqual({ decoded: 'by the driver' });
    });

    test.each([
      ['a number', '5', defaultSettings],
      ['null', 'null', defaultSettings],
      ['a list', '[1,2]', defaultSettings],
      ['a text', '"rate"', defaultSettings],
      ['rate 0', '{"rate_per_minute":0}', { rate_per_minute: 1 }],
      ['rate -1', '{"rate_per_minute":-1}', { rate_per_minute: 1 }],
      ['rate 9999', '{"rate_per_minute":9999}', { rate_per_minute: 60 }],
      ['rate abc', '{"rate_per_minute":"abc"}', { rate_per_minute: 5 }],
      ['rate as PHP writes it', '{"rate_per_minute":" 7 "}', { rate_per_minute: 7 }],
      ['rate 1e999', '{"rate_per_minute":1e999}', { rate_per_minute: 60 }],
      ['rate as a list', '{"rate_per_minute":[7]}', { rate_per_minute: 5 }],
      ['timeout too short', '{"claim_timeout":1}', { claim_timeout: 60 }],
      ['a map that is none', '{"priorities":"x","expire_after":[1]}', { priorities: {}, expire_after: {} }],
      ['a map of nonsense', '{"priorities":{"a":"3","b":{},"c":99999}}', { priorities: { a: 3, c: 32_767 } }],
      [
        'contexts that are none',
        '{"handled_contexts":{"a":1}}',
        { handled_contexts: ['customer_completed_order'] },
      ],
      ['in_doubt by another word', '{"in_doubt":"RETRY"}', { in_doubt: 'hold' }],
    ])('hostile value: %s', async (_name, json, expected) => {
      await stored('settings', json);
      const { settings } = await readStateAndSettings(bench().place);
      expect(settings).toEqual({ ...defaultSettings, ...expected });
    });

    test.each(['"ENABLED"', '"on"', 'true', '1', 'null', '{"state":"enabled"}', '["enabled"]'])(
      'the state %s means disabled',
      async (json) => {
        await stored('state', json);
        expect((await readStateAndSettings(bench().place)).state).toBe('disabled');
      },
    );

    test('without any row: disabled, and the default settings', async () => {
      const { place } = bench();
      await place.db.run(`DELETE FROM ${place.t.settings}`);
      expect(await readStateAndSettings(place)).toEqual({ state: 'disabled', settings: defaultSettings });
    });

    test('seeds fill in what lacks and overwrite nothing', async () => {
      const { place } = bench();
      await place.db.run(`DELETE FROM ${place.t.settings}`);
      await seedSettings(place, { rate_per_minute: 9999, nonsense: 1 }, 3);
      const seeded = await readStateAndSettings(place);
      expect(seeded).toMatchObject({ state: 'disabled', settings: { rate_per_minute: 60 } });
      expect(seeded.settings).not.toHaveProperty('nonsense');
      await writeValue(place, 'state', 'enabled');
      await mergeSettings(place, { rate_per_minute: 12 });
      await seedSettings(place, { rate_per_minute: 30 }, 4);
      expect(await readStateAndSettings(place)).toMatchObject({
        state: 'enabled',
        settings: { rate_per_minute: 12 },
      });
      expect(await readValue(place, 'schema_version')).toBe(3);
    });

    test('a patch changes what it names, sanitised, and keeps the rest', async () => {
      const { place } = bench();
      await mergeSettings(place, { rate_per_hour: 200, priorities: { customer_reset_password: 1 } });
      const after = await mergeSettings(place, { rate_per_minute: -5, claim_timeout: '1200' });
      const expected = { rate_per_minute: 1, rate_per_hour: 200, claim_timeout: 1200 };
      expect(after).toMatchObject({ ...expected, priorities: { customer_reset_password: 1 } });
      expect((await readStateAndSettings(place)).settings).toEqual(after);
    });

    test('a patch over stored nonsense starts from the defaults', async () => {
      await stored('settings', 'null');
      expect(await mergeSettings(bench().place, { rate_per_minute: 9 })).toEqual({
        ...defaultSettings,
        rate_per_minute: 9,
      });
    });
  });

  describe('state', () => {
    const state = async () => (await readStateAndSettings(bench().place)).state;

    test('moves only from where it is said to be', async () => {
      const { place } = bench();
      expect(await moveState(place, ['disabled'], 'draining')).toBe(false);
      expect(await state()).toBe('enabled');
      expect(await moveState(place, ['enabled', 'draining'], 'draining')).toBe(true);
      expect(await state()).toBe('draining');
    });

    test.each(['pending', 'sending'])('never reaches disabled while a row is %s', async (rowState) => {
      const { place } = bench();
      await writeValue(place, 'state', 'draining');
      const id = await put(place, { state: rowState, scheduled_at: -3600 });
      await put(place, { state: 'sent' });
      await put(place, { state: 'failed' });
      expect(await moveState(place, ['draining'], 'disabled', 'empty')).toBe(false);
      expect(await state()).toBe('draining');
      await place.db.run(`DELETE FROM ${place.t.queue} WHERE id = ?`, [id]);
      expect(await moveState(place, ['draining'], 'disabled', 'empty')).toBe(true);
      expect(await state()).toBe('disabled');
    });

    test('a row that arrives after that puts it back to draining, and nothing else does', async () => {
      const { place } = bench();
      await writeValue(place, 'state', 'disabled');
      expect(await moveState(place, ['disabled'], 'draining', 'waiting')).toBe(false);
      await put(place);
      expect(await moveState(place, ['disabled'], 'draining', 'waiting')).toBe(true);
      expect(await state()).toBe('draining');
    });

    test('a missing or broken state is disabled, and can be left', async () => {
      const { place } = bench();
      await place.db.run(`DELETE FROM ${place.t.settings}`);
      expect(await moveState(place, ['disabled'], 'enabled')).toBe(true);
      await stored('state', '{}');
      expect(await moveState(place, ['disabled'], 'enabled')).toBe(true);
      expect(await state()).toBe('enabled');
    });
  });
}
