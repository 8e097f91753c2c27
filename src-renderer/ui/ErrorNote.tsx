import { Alert, type AlertProps, Anchor, Collapse, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WireError } from '../../src-main/contract/errors.ts';
import { told } from '../i18n.ts';

interface Props extends Omit<AlertProps, 'title'> {
  error: Pick<WireError, 'message'> & { detail?: string | undefined };
  /** what the person can do about it */
  action?: ReactNode;
}

/** An error in words; the technical part is folded away. */
export function ErrorNote({ error, action, ...rest }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      {...rest}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {told(error.message)}
      </Text>
      {error.detail && (
        <>
          <Anchor
            component="button"
            type="button"
            size="xs"
            // the usual colour of links is too faint on the red of the dark theme
            c="inherit"
            td="underline"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            {open ? t('common.hideDetails') : t('common.showDetails')}
          </Anchor>
          <Collapse expanded={open} id={id}>
            <Text
              size="xs"
              ff="monospace"
              mt={6}
              style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
            >
              {error.detail}
            </Text>
          </Collapse>
        </>
      )}
      {action && <div>{action}</div>}
    </Alert>
  );
}
