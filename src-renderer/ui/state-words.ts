import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { holdsMailTypes, type ShapeSeen } from '../../src-main/contract/status.ts';
import { useShop } from '../bridge/shop.tsx';

/** A state as the screens name it; a doubt is ours alone, no shop's table has a word for it. */
export type Shown = 'pending' | 'sending' | 'sent' | 'failed' | 'in_doubt';

export interface StateWord {
  /** what is shown */
  word: string;
  /** our plain word, where what is shown is the shop's own; null = the word needs no other */
  meaning: string | null;
}

/** The shop's own word for a state, so that a person finds in the table what the window says; else ours. */
export function stateWord(shown: Shown, shape: ShapeSeen | null, t: TFunction): StateWord {
  const plain = t(`states.${shown}`);
  const own = shown === 'in_doubt' ? undefined : shape?.words?.[shown];
  if (!own || own.toLowerCase() === plain.toLowerCase()) return { word: plain, meaning: null };
  return { word: own, meaning: plain };
}

/** What the shop on screen calls its states, and what its rows can hold. Before the first status: as ours. */
export function useShape(): {
  word: (shown: Shown) => StateWord;
  /** rows have a mail type, an order number and a priority */
  mailTypes: boolean;
  /** the queue is the shop's own table, whose program knows nothing of our states enabled and disabled */
  ownTable: boolean;
  /** ledger, pace and log live with this console alone */
  booksAlone: boolean;
} {
  const { t } = useTranslation();
  const { status } = useShop();
  const shape = status?.shape ?? null;
  return {
    word: (shown) => stateWord(shown, shape, t),
    mailTypes: shape === null || holdsMailTypes(shape.name),
    ownTable: shape !== null && !holdsMailTypes(shape.name),
    booksAlone: shape?.books === 'console',
  };
}
