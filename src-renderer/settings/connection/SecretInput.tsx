import { Button, Group, PasswordInput } from '@mantine/core';
import { IconLockCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { FoundSecret } from '../../../src-main/contract/look.ts';

/** undefined = left alone, null = to be forgotten, text = typed, or one that the main process has found */
export type SecretChange = string | FoundSecret | null | undefined;

interface Props {
  label: string;
  description?: string;
  /** whether the vault holds one */
  stored: boolean;
  change: SecretChange;
  onChange: (change: string | null | undefined) => void;
}

/** A secret: the window never learns a stored or a found one, only that it is there. */
export function SecretInput({ label, description, stored, change, onChange }: Props) {
  const { t } = useTranslation();
  const found = typeof change === 'object' && change !== null;
  const kept = found || (stored && change !== null);
  const usual = change === null ? t('secret.willBeForgotten') : stored ? t('secret.set') : t('secret.notSet');
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <PasswordInput
        flex={1}
        label={label}
        description={found ? t('secret.foundHelp') : description}
        autoComplete="off"
        placeholder={found ? t('secret.found') : usual}
        leftSection={kept ? <IconLockCheck size={16} aria-hidden /> : undefined}
        value={typeof change === 'string' ? change : ''}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
        visibilityToggleButtonProps={{ 'aria-label': t('secret.show') }}
      />
      {found && (
        <Button variant="default" onClick={() => onChange(undefined)}>
          {t('secret.notThis')}
        </Button>
      )}
      {stored && !found && (
        <Button variant="default" onClick={() => onChange(change === null ? undefined : null)}>
          {change === null ? t('secret.keep') : t('secret.forget')}
        </Button>
      )}
    </Group>
  );
}
