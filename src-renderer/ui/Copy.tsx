import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Copies a text; `what` names it for those who hear the page. */
export function Copy({ text, what }: { text: string; what: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('common.copied') : t('common.copy', { what })}>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={copied ? t('common.copied') : t('common.copy', { what })}
            onClick={copy}
          >
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
