import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowId } from '../../../src-main/contract/rows.ts';
import { call } from '../../bridge/client.ts';
import { useFetched } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { previewOf } from './preview.ts';
import type { ReadMail } from './read-mail.ts';

type View = 'preview' | 'text' | 'source';

/** The mail's words: as its recipient sees them, as text, or as they stand in the row. */
export function Message({ id, mail }: { id: RowId; mail: ReadMail }) {
  const { t } = useTranslation();
  const [view, setView] = useState<View>(mail.isHtml ? 'preview' : 'text');
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
          onChange={(value) => setView(value as View)}
          data={[
            { value: 'preview', label: t('drawer.asPreview') },
            { value: 'text', label: t('drawer.asText') },
            { value: 'source', label: t('drawer.asSource') },
          ]}
        />
      )}
      {view === 'preview' ? (
        <PreviewFrame id={id} mail={mail} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard
        <pre className="pr-pre" data-view={view} tabIndex={0}>
          {(view === 'text' ? mail.text : mail.source) || t('drawer.noText')}
        </pre>
      )}
    </Stack>
  );
}

/** A frame that can run nothing and reach nothing (preview.ts). */
function PreviewFrame({ id, mail }: { id: RowId; mail: ReadMail }) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const embeds = mail.attachments.some((file) => file.embedded);
  const images = useFetched(
    async () => (embeds ? call('queue:images', profile.id, id) : {}),
    `images ${profile.id} ${id} ${embeds}`,
  );
  const { page, remote } = useMemo(
    () =>
      previewOf(mail.source, images.value ?? {}, {
        image: (alt) => (alt ? t('drawer.imageNamed', { alt }) : t('drawer.image')),
      }),
    [mail.source, images.value, t],
  );
  return (
    <>
      {/* another page is another frame: one that is given a new page keeps the old one on screen until then */}
      <iframe
        key={images.value ? 'all' : 'text'}
        className="pr-preview"
        sandbox=""
        srcDoc={page}
        title={t('drawer.previewTitle')}
      />
      <Text size="xs" c="dimmed">
        {remote > 0 ? t('drawer.remote', { count: remote }) : t('drawer.safe')}
      </Text>
    </>
  );
}
