import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPaperclip, IconPhoto } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowFile } from '../../../src-main/contract/orders.ts';
import type { RowId } from '../../../src-main/contract/rows.ts';
import { call } from '../../bridge/client.ts';
import { useAction, useFetched } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { told } from '../../i18n.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { bytes } from '../../ui/format.ts';
import type { ReadMail } from './read-mail.ts';

/** The files that go with a mail, and whether they lie in the shop as the row says. */
export function Attachments({ id, files }: { id: RowId; files: ReadMail['attachments'] }) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const looked = useFetched(async () => {
    const found = files.length > 0 ? await call('queue:files', profile.id, id, false) : [];
    return found;
  }, `files ${profile.id} ${id} ${files.length}`);
  const [checked, setChecked] = useState<RowFile[] | null>(null);
  const check = useAction(async () => setChecked(await call('queue:files', profile.id, id, true)));
  if (files.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('drawer.noAttachments')}
      </Text>
    );
  }
  const found = checked ?? looked.value ?? [];
  // a payload that cannot be sent names files that nobody looks for
  const shown: RowFile[] =
    found.length > 0
      ? found
      : files.map((file) => ({
          kind: file.embedded ? 'embed' : 'attachment',
          name: file.name,
          cid: null,
          told: file.size,
          size: null,
          present: 'unknown',
          reason: null,
          checksum: 'untold',
        }));
  return (
    <Stack gap="sm" align="stretch">
      {(looked.error ?? check.error) && <ErrorNote error={looked.error ?? check.error ?? { message: '' }} />}
      <ul className="pr-files">
        {shown.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and the list never moves
          <li key={`${file.name} ${index}`}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              {file.kind === 'embed' ? (
                <IconPhoto size={16} aria-hidden />
              ) : (
                <IconPaperclip size={16} aria-hidden />
              )}
              <div style={{ flex: 1, minWidth: 0 }}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {file.name}
                </Text>
                {file.reason && (
                  <Text size="xs" c="dimmed">
                    {told(file.reason)}
                  </Text>
                )}
              </div>
              <Text size="xs" c="dimmed" className="pr-number">
                {sizeText(file)}
              </Text>
              <Badge
                size="sm"
                radius="sm"
                tt="none"
                variant="light"
                color={colorOf(file)}
                className="pr-file-state"
              >
                {t(`files.${stateOf(file)}`)}
              </Badge>
            </Group>
          </li>
        ))}
      </ul>
      {shown.some((file) => file.checksum === 'unchecked' && file.present === 'yes') && (
        <Group>
          <Button size="xs" variant="default" loading={check.busy} onClick={() => void check.run()}>
            {t('files.check')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function sizeText({ size, told }: RowFile): string {
  const known = size ?? told;
  return known === null ? '' : bytes(known);
}

function stateOf(file: RowFile): 'missing' | 'unknown' | 'size' | 'differs' | 'matches' | 'present' {
  if (file.present !== 'yes') return file.present === 'no' ? 'missing' : 'unknown';
  if (file.told !== null && file.told !== file.size) return 'size';
  if (file.checksum === 'differs' || file.checksum === 'matches') return file.checksum;
  return 'present';
}

function colorOf(file: RowFile): string {
  const state = stateOf(file);
  if (state === 'unknown') return 'gray';
  return state === 'present' || state === 'matches' ? 'teal' : 'red';
}
