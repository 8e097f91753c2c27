import { describe, expect, it } from 'vitest';
import { usualPreferences } from '../../src-main/contract/preferences.ts';
import { PreferenceFile } from '../../src-main/settings/preferences.ts';
import { memoryFile } from './memory.ts';

const { startAtLogin: _login, ...usual } = usualPreferences;

describe('preferences', () => {
  it('are as usual until something is set, and each is kept by itself', () => {
    const file = memoryFile();
    const preferences = new PreferenceFile(file);
    expect(preferences.read()).toEqual(usual);
    expect(preferences.save({ keepInTray: false })).toEqual({ ...usual, keepInTray: false });
    preferences.save({ quietHours: { from: '22:00', to: '06:30' } });
    expect(new PreferenceFile(file).read()).toEqual({
      ...usual,
      keepInTray: false,
      quietHours: { from: '22:00', to: '06:30' },
    });
    expect(preferences.save({ quietHours: null }).quietHours).toBeNull();
  });

  it('that cannot be read are as usual, and the others stay', () => {
    const file = memoryFile();
    file.set('notifications', 'loud');
    file.set('quietHours', { from: '25:00', to: 'x' });
    file.set('language', 'cs');
    expect(new PreferenceFile(file).read()).toEqual({ ...usual, language: 'cs' });
  });
});
