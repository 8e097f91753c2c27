import { Button, Group, PasswordInput } from '@mantine/core';
import { IconLockCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface Props {
  label: string;
  description?: string;
  /** whether the vault holds one */
  stored: boolean;
  /** undefined = left alone, null = to be forgotten */
  change: string | null | undefined;
  onChange: (change: string | null | undefined) => void;
}

/** A secret: the window never learns a stored one, only that it is there. */
export function SecretInput({ label, description, stored, change, onChange }: Props) {
  const { t } = useTranslation();
  const kept = stored && change !== null;
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <PasswordInput
        flex={1}
        label={label}
        description={description}
        autoComplete="off"
        placeholder={
          change === null ? t('secret.willBeForgotten') : stored ? t('secret.set') : t('secret.notSet')
        }
        leftSection={kept ? <IconLockCheck size={16} aria-hidden /> : undefined}
        value={change ?? ''}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
        visibilityToggleButtonProps={{ 'aria-label': t('secret.show') }}
      />
      {stored && (
        <Button variant="default" onClick={() => onChange(change === null ? undefined : null)}>
          {change === null ? t('secret.keep') : t('secret.forget')}
        </Button>
      )}
    </Group>
  );
}
