import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selection } from '../../../src-main/contract/desk.ts';
import type { Acted, Prepared, RowOrder } from '../../../src-main/contract/orders.ts';
import { asCallError, type CallError, call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { told } from '../../i18n.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { count, duration } from '../../ui/format.ts';
import { OrderFields } from './OrderFields.tsx';

/** ms after the last key in a field before the main side is asked what that would touch */
const askAfterMs = 300;

interface Props {
  kind: RowOrder['do'];
  what: Selection;
  opened: boolean;
  onClose: () => void;
  onGone: () => void;
  onDone: (acted: Acted) => Promise<void>;
}

/** Asks before an order is done: which mails are touched is fixed when the number appears. */
export function OrderDialog({ kind, what, opened, onClose, onGone, onDone }: Props) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const [order, setOrder] = useState<RowOrder | null>(() => startOf(kind));
  const [prepared, setPrepared] = useState<{ for: RowOrder; answer: Prepared } | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const asked = useRef(0);
  const first = useRef(true);
  const action = useAction(async () => {
    if (prepared) await onDone(await call('queue:act', profile.id, prepared.answer.token));
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a question is about one selection, asked anew for each order
  useEffect(() => {
    const mine = ++asked.current;
    setError(null);
    if (!order) return undefined;
    const timer = setTimeout(
      () => {
        call('queue:prepare', profile.id, what, order).then(
          (answer) => mine === asked.current && setPrepared({ for: order, answer }),
          (thrown: unknown) => mine === asked.current && setError(asCallError(thrown)),
        );
      },
      first.current ? 0 : askAfterMs,
    );
    first.current = false;
    return () => clearTimeout(timer);
  }, [order]);

  const ready = prepared !== null && prepared.for === order ? prepared.answer : null;
  const known = ready ?? (kind === 'readdress' ? null : (prepared?.answer ?? null));
  const number = known?.count ?? 0;
  const values = { count: number, number: count(number) };
  const none = ready?.count === 0;
  const close = () => {
    if (!action.busy) onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onGone}
      title={
        <Text fw={650}>
          {known ? t(none ? 'order.nothing' : `order.title.${kind}`, values) : t(`actions.${kind}`)}
        </Text>
      }
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        {!none && <Text size="sm">{t(`order.text.${kind}`, { count: number })}</Text>}
        <OrderFields kind={kind} onOrder={setOrder} />
        {error && <ErrorNote error={error} />}
        {ready ? (
          <Effect prepared={ready} kind={kind} />
        ) : (
          order && !error && <Loader size="xs" type="dots" aria-label={t('common.loading')} />
        )}
        {action.error && <ErrorNote error={action.error} />}
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            onClick={close}
            disabled={action.busy}
            data-autofocus={kind !== 'readdress' && kind !== 'priority'}
          >
            {t(none ? 'common.close' : 'common.cancel')}
          </Button>
          {!none && (
            <Button
              color={kind === 'delete' ? 'red' : 'ink'}
              disabled={!ready}
              loading={action.busy}
              onClick={() => void action.run()}
            >
              {known ? t(`order.confirm.${kind}`, values) : t(`actions.${kind}`)}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** How many, how much longer, and what is left alone. */
function Effect({ prepared, kind }: { prepared: Prepared; kind: RowOrder['do'] }) {
  const { t } = useTranslation();
  const { count: mails, adds_s: seconds, refused, to } = prepared;
  const span = duration(Math.abs(seconds));
  const mailsText = t('order.mails', { count: mails, number: count(mails) });
  const time =
    seconds === 0
      ? null
      : kind === 'next'
        ? t('order.othersLater', { span })
        : t(seconds > 0 ? 'order.longer' : 'order.shorter', { span });
  return (
    <div role="status" className="pr-effect">
      {mails > 0 && (
        <Text size="sm" fw={600}>
          {time ? t('order.sum', { mails: mailsText, time }) : mailsText}
        </Text>
      )}
      {to && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('order.goesTo', { to })}
        </Text>
      )}
      {refused.map(({ reason, count: left }) => (
        <Text size="sm" key={reason}>
          {t('order.left', { count: left, number: count(left), reason: told(reason) })}
        </Text>
      ))}
    </div>
  );
}

/** The order as it is before anything is typed; null where something must be. */
function startOf(kind: RowOrder['do']): RowOrder | null {
  switch (kind) {
    case 'hold':
      return { do: 'hold', until: null };
    case 'priority':
      return { do: 'priority', priority: 10 };
    case 'readdress':
      return null;
    default:
      return { do: kind };
  }
}
