import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RowDetail } from '../../../src-main/contract/rows.ts';
import { call } from '../../bridge/client.ts';
import { useShop } from '../../bridge/shop.tsx';
import type { Question } from '../../ui/Confirm.tsx';
import { useShape } from '../../ui/state-words.ts';
import { toastDone } from '../../ui/toast.ts';

interface Props {
  row: RowDetail;
  ask: (question: Question) => void;
  onResolved: () => Promise<void>;
}

/** A mail that may or may not have arrived: what to look at first, and the two ways out. */
export function Doubt({ row, ask, onResolved }: Props) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const shape = useShape();
  const resolve = async (how: 'arrived' | 'send-again') => {
    await call('queue:resolve', profile.id, row.id, how);
    toastDone(t(how === 'arrived' ? 'doubt.arrivedDone' : 'doubt.againDone'));
    await Promise.all([onResolved(), refresh()]);
  };
  return (
    <Alert
      color="grape"
      variant="light"
      icon={<IconHelpCircle size={18} aria-hidden />}
      title={t('doubt.title')}
    >
      <Stack gap="sm">
        <Text size="sm">{t('doubt.text')}</Text>
        <Text size="sm">{t('doubt.check')}</Text>
        {shape.booksAlone && <Text size="sm">{t('doubt.alone', { word: shape.word('failed').word })}</Text>}
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              ask({
                title: t('doubt.arrived'),
                body: t('doubt.arrivedText'),
                confirm: t('doubt.arrived'),
                act: () => resolve('arrived'),
              })
            }
          >
            {t('doubt.arrived')}
          </Button>
          <Button
            size="xs"
            color="grape"
            onClick={() =>
              ask({
                title: t('doubt.again'),
                body: t('doubt.againText'),
                confirm: t('doubt.again'),
                act: () => resolve('send-again'),
              })
            }
          >
            {t('doubt.again')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
