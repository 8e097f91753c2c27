import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SecretName } from '../../src-main/contract/secrets.ts';
import { call } from '../bridge/client.ts';
import { useAction, useFetched } from '../bridge/hooks.ts';
import { SecretInput } from '../settings/connection/SecretInput.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';

/** Passwords that this computer could not keep or cannot read: typed right where they lack. */
export function SecretAsk({ profile }: { profile: string }) {
  const { t } = useTranslation();
  const { value: view, error } = useFetched(() => call('profiles:get', profile), profile);
  const [typed, setTyped] = useState<Partial<Record<SecretName, string>>>({});
  const give = useAction(() => call('profiles:give-secrets', profile, typed));
  const asks = view?.asks ?? [];
  const problem = give.error ?? error;
  return (
    <form
      aria-label={t('secret.ask')}
      onSubmit={(event) => {
        event.preventDefault();
        void give.run();
      }}
    >
      <Stack gap="xs" mt="xs" maw={420}>
        {asks.map((name) => (
          <SecretInput
            key={name}
            label={t(`secret.names.${name}`)}
            stored={false}
            change={typed[name]}
            onChange={(text) =>
              setTyped(({ [name]: _old, ...rest }) => (text ? { ...rest, [name]: text } : rest))
            }
          />
        ))}
        {problem && <ErrorNote error={problem} />}
        <Group gap="xs">
          {asks.length > 0 && (
            <Button type="submit" size="xs" loading={give.busy} disabled={asks.some((name) => !typed[name])}>
              {t('secret.use')}
            </Button>
          )}
          {/* a password store that was locked may be open by now */}
          <Button size="xs" variant="default" onClick={() => void call('shop:connect', profile)}>
            {t('common.tryAgain')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
