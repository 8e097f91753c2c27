import { notifications } from '@mantine/notifications';
import { asCallError } from '../bridge/client.ts';

/** Says briefly that something was done. */
export function toastDone(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** Says briefly that something could not be done. */
export function toastError(thrown: unknown): void {
  notifications.show({ message: asCallError(thrown).message, color: 'red', autoClose: 12_000 });
}
