/** Mail types that a customer waits for at the screen: a queue in front of them makes a shop look broken. */
export const isUrgent = (type: string): boolean => /reset|password|new_account/i.test(type);
