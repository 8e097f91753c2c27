import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  /** what it is called, for the button's name */
  name: string;
  /** whether it is what the form has now */
  chosen: boolean;
  /** null: it is shown, but cannot be chosen */
  onChoose: (() => void) | null;
  children: ReactNode;
}

/** One of the things that a look has found. */
export function Choice({ name, chosen, onChoose, children }: Props) {
  const { t } = useTranslation();
  return (
    <li className="pr-choice" data-chosen={chosen || undefined}>
      <div>{children}</div>
      {onChoose && (
        <Button
          size="xs"
          variant={chosen ? 'filled' : 'default'}
          aria-pressed={chosen}
          aria-label={t(chosen ? 'look.chosenName' : 'look.chooseName', { name })}
          onClick={onChoose}
        >
          {t(chosen ? 'look.chosen' : 'look.choose')}
        </Button>
      )}
    </li>
  );
}
