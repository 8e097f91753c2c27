import { Group, Stack, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { bytes } from '../../ui/format.ts';
import type { ReadMail } from './read-mail.ts';

/** The files that go with a mail. */
export function Attachments({ files }: { files: ReadMail['attachments'] }) {
  const { t } = useTranslation();
  if (files.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('drawer.noAttachments')}
      </Text>
    );
  }
  return (
    <Stack gap={6}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and the list never moves
        <Group key={`${file.name} ${index}`} gap="xs" wrap="nowrap">
          <IconPaperclip size={16} aria-hidden />
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {file.name}
          </Text>
          {file.size !== null && (
            <Text size="xs" c="dimmed">
              {bytes(file.size)}
            </Text>
          )}
        </Group>
      ))}
    </Stack>
  );
}
