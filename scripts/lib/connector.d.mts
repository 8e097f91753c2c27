/** What is copied into a shop's mu-plugins, names below assets/shop-connector. */
export function connectorFiles(): string[];
export function connectorVersion(): string;
/** Name and bytes of each file that is made of the strings in the sources. Throws when a translation lacks. */
export function madeLanguages(): [name: string, bytes: Buffer][];
export function madeManifest(): Buffer;
export const manifestName: string;
export function inConnector(name: string): string;
