import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Settings } from '../../src-main/contract/settings.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useShape } from '../ui/state-words.ts';
import { toastDone } from '../ui/toast.ts';
import { Books } from './Books.tsx';
import { Keeping } from './Keeping.tsx';
import { MailTypes } from './MailTypes.tsx';
import { Pace } from './Pace.tsx';
import { Retries } from './Retries.tsx';

/** What every section of the shop's settings is given. */
export interface SectionProps {
  draft: Settings;
  change: (patch: Partial<Settings>) => void;
}

const screens = { pace: Pace, retries: Retries, types: MailTypes, keeping: Keeping } as const;

/** Settings that live in the shop's own table, so that all consoles agree (or with this console, see Books). Nothing is written before Save. */
export function ShopSettings({ section, stored }: { section: keyof typeof screens; stored: Settings }) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { booksAlone } = useShape();
  const [patch, setPatch] = useState<Partial<Settings>>({});
  const save = useAction(async () => {
    await call('settings:save', profile.id, patch);
    await refresh();
    setPatch({});
    toastDone(t('settings.saved'));
  });
  const Screen = screens[section];
  const draft = { ...stored, ...patch };
  const dirty = Object.entries(patch).some(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(stored[key as keyof Settings]),
  );
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <div className="pr-settings-body">
        <Stack gap="lg">
          <div>
            <Title order={2} size="h3">
              {t(`settings.section.${section}`)}
            </Title>
            <Text size="sm" c="dimmed">
              {section === 'pace' && booksAlone
                ? t('settings.introPaceAlone')
                : t(`settings.intro.${section}`)}
            </Text>
          </div>
          {section === 'pace' && <Books />}
          <Screen draft={draft} change={(more) => setPatch((old) => ({ ...old, ...more }))} />
          {save.error && <ErrorNote error={save.error} />}
        </Stack>
      </div>
      {dirty && (
        <div className="pr-save">
          <Text size="sm" c="dimmed" mr="auto">
            {t('settings.unsaved')}
          </Text>
          <Button variant="default" onClick={() => setPatch({})} disabled={save.busy}>
            {t('settings.discard')}
          </Button>
          <Button type="submit" loading={save.busy}>
            {t('settings.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
