import { Alert, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReadMail } from './read-mail.ts';

/** The mail's words, as text or as they stand in the row; never as a page. */
export function Message({ mail }: { mail: ReadMail }) {
  const { t } = useTranslation();
  const [view, setView] = useState<'text' | 'source'>('text');
  if (mail.broken !== null) {
    return (
      <Alert color="red" title={t('drawer.broken')}>
        {mail.broken}
      </Alert>
    );
  }
  return (
    <Stack gap="sm" align="flex-start">
      {mail.isHtml && (
        <SegmentedControl
          size="xs"
          aria-label={t('drawer.view')}
          value={view}
          onChange={setView}
          data={[
            { value: 'text', label: t('drawer.asText') },
            { value: 'source', label: t('drawer.asSource') },
          ]}
        />
      )}
      <pre
        className="pr-pre"
        style={{
          width: '100%',
          fontFamily: view === 'text' ? 'inherit' : 'var(--mantine-font-family-monospace)',
        }}
      >
        {(view === 'text' ? mail.text : mail.source) || t('drawer.noText')}
      </pre>
    </Stack>
  );
}
