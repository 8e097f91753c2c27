import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { QueueRow, RowDetail } from '../../src-main/contract/rows.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { toastError } from '../ui/toast.ts';

interface Props {
  row: QueueRow;
  tabIndex?: number;
}

/** The order of a mail: opens its page in the shop, whose address the shop wrote into the mail's row. */
export function OrderLink({ row, tabIndex }: Props) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const open = useAction(async () => {
    try {
      const url = orderUrl((await call('queue:show', profile.id, row.id)).payload);
      if (url === null) throw new Error(t('queue.noOrderPage'));
      await call('app:open-link', url);
    } catch (thrown) {
      toastError(thrown);
    }
  });
  if (row.order_id === 0 || row.order_id === '0') return null;
  return (
    <Anchor
      component="button"
      type="button"
      size="xs"
      className="pr-order"
      {...(tabIndex === undefined ? {} : { tabIndex })}
      onClick={(event) => {
        event.stopPropagation();
        void open.run();
      }}
    >
      {t('queue.order', { id: String(row.order_id) })}
    </Anchor>
  );
}

/** `order_url` of a payload; only of the web, as the main side checks once more. */
export function orderUrl(payload: RowDetail['payload']): string | null {
  if (!payload.ok || typeof payload.value !== 'object' || payload.value === null) return null;
  const { order_url: url } = payload.value as { order_url?: unknown };
  return typeof url === 'string' && /^https?:\/\//i.test(url) && url.length <= 2000 ? url : null;
}
