import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RowDetail } from '../../../src-main/contract/rows.ts';
import { call } from '../../bridge/client.ts';
import { useShop } from '../../bridge/shop.tsx';
import type { Question } from '../../ui/Confirm.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { duration, fullWhen } from '../../ui/format.ts';
import { useShape } from '../../ui/state-words.ts';
import { toastDone } from '../../ui/toast.ts';

interface Props {
  row: RowDetail;
  ask: (question: Question) => void;
  onResolved: () => Promise<void>;
}

/** A mail that may or may not have arrived: the evidence, what to look at first, and the two ways out. */
export function Doubt({ row, ask, onResolved }: Props) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const shape = useShape();
  const resolve = async (how: 'arrived' | 'send-again') => {
    await call('queue:resolve', profile.id, row.id, how);
    toastDone(t(how === 'arrived' ? 'doubt.arrivedDone' : 'doubt.againDone'));
    await Promise.all([onResolved(), refresh()]);
  };
  const attempt =
    row.history.find((one) => one.outcome === 'in-doubt') ?? row.history.find((one) => one.body_ms !== null);
  const tookS = attempt?.finished_ms ? (attempt.finished_ms - attempt.started_ms) / 1000 : null;
  return (
    <Alert
      color="grape"
      variant="light"
      icon={<IconHelpCircle size={18} aria-hidden />}
      title={t('doubt.title')}
    >
      <Stack gap="sm">
        <Text size="sm">{t('doubt.text')}</Text>
        {attempt && (
          <dl className="pr-evidence">
            <dt>{t('doubt.began')}</dt>
            <dd>{fullWhen(attempt.started_ms / 1000)}</dd>
            {attempt.body_ms !== null && (
              <>
                <dt>{t('doubt.handed')}</dt>
                <dd>{fullWhen(attempt.body_ms / 1000)}</dd>
              </>
            )}
            {tookS !== null && tookS >= 1 && (
              <>
                <dt>{t('doubt.waited')}</dt>
                <dd>{duration(tookS)}</dd>
              </>
            )}
            {attempt.response && (
              <>
                <dt>{t('doubt.lastWords')}</dt>
                <dd>{attempt.response}</dd>
              </>
            )}
            {attempt.server_id && (
              <>
                <dt>{t('history.serverId')}</dt>
                <dd>
                  <code>{attempt.server_id}</code>{' '}
                  <Copy text={attempt.server_id} what={t('history.serverId')} />
                </dd>
              </>
            )}
            {row.message_id && (
              <>
                <dt>{t('facts.messageId')}</dt>
                <dd>
                  <code>{row.message_id}</code> <Copy text={row.message_id} what={t('facts.messageId')} />
                </dd>
              </>
            )}
          </dl>
        )}
        <div>
          <Text size="sm" fw={600}>
            {t('doubt.first')}
          </Text>
          <List size="sm" type="ordered">
            <List.Item>
              {t('doubt.checkRecipient', { recipient: row.recipient })}{' '}
              <Copy text={row.recipient} what={t('doubt.recipient')} />
            </List.Item>
            <List.Item>{t('doubt.checkLog')}</List.Item>
            <List.Item>{t('doubt.checkSent')}</List.Item>
          </List>
        </div>
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
            color="grape.8"
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
