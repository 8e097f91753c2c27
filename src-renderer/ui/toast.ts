import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { asCallError } from '../bridge/client.ts';
import { told } from '../i18n.ts';

/** Says briefly that something was done. */
export function toastDone(message: string): void {
  notifications.show({ message, color: 'teal', closeButtonProps: closeButton() });
}

/** Says briefly that something could not be done. */
export function toastError(thrown: unknown): void {
  notifications.show({
    message: told(asCallError(thrown).message),
    color: 'red',
    autoClose: 12_000,
    closeButtonProps: closeButton(),
  });
}

function closeButton(): { 'aria-label': string } {
  return { 'aria-label': i18next.t('common.dismiss') };
}
