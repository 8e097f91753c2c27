import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selection } from '../../../src-main/contract/desk.ts';
import type { Acted, RowOrder } from '../../../src-main/contract/orders.ts';
import { useShop } from '../../bridge/shop.tsx';
import { told } from '../../i18n.ts';
import { toastDone } from '../../ui/toast.ts';
import { OrderDialog } from './OrderDialog.tsx';

export type OrderKind = RowOrder['do'];

/** Orders on mails, each behind a question that says exactly how many and for how long. */
export interface Orders {
  ask: (kind: OrderKind, what: Selection) => void;
  /** whether a question is on screen: what lies below must then not close on Escape */
  asking: boolean;
  dialog: ReactNode;
}

interface Question {
  kind: OrderKind;
  what: Selection;
  /** another one for each question, so that none begins with what was typed into the last */
  key: number;
}

export function useOrders(onDone: () => Promise<void>): Orders {
  const { t } = useTranslation();
  const { refresh } = useShop();
  const [question, setQuestion] = useState<Question | null>(null);
  const [opened, setOpened] = useState(false);
  const [asking, setAsking] = useState(false);

  const done = async (kind: OrderKind, acted: Acted) => {
    setOpened(false);
    if (!acted.waits) {
      const words = [t(`order.done.${kind}`, { count: acted.done })];
      const reason = told(acted.refused[0]?.reason ?? '');
      if (reason) words.push(t('actions.refused', { count: acted.refused.length, reason }));
      toastDone(words.join(' '));
    }
    await Promise.all([onDone(), refresh()]);
  };

  return {
    ask: (kind, what) => {
      setQuestion((old) => ({ kind, what, key: (old?.key ?? 0) + 1 }));
      setAsking(true);
      setOpened(true);
    },
    asking,
    dialog: question && (
      <OrderDialog
        key={question.key}
        kind={question.kind}
        what={question.what}
        opened={opened}
        onClose={() => setOpened(false)}
        // not before it is gone: the Escape that closes it must not reach what lies below as well
        onGone={() => setAsking(false)}
        onDone={(acted) => done(question.kind, acted)}
      />
    ),
  };
}
