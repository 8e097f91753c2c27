// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
import { Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useShape } from '../ui/state-words.ts';

/** One quiet line: that the cap is kept by this console alone. What follows from it stands in the settings. */
export function BooksHint() {
  const { t } = useTranslation();
  const { booksAlone } = useShape();
  if (!booksAlone) return null;
  return (
    <Tooltip label={t('books.hintText')} multiline maw={320}>
      <Text size="xs" c="dimmed" tabIndex={0} style={{ borderRadius: 4 }}>
        {t('books.hint')}
      </Text>
    </Tooltip>
  );
}
