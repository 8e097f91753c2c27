/** Notices another network: the addresses of this machine changed. The system tells nobody, so it is looked at. */
import { networkInterfaces } from 'node:os';

/** ms between two looks, of which each costs some 50 µs */
const everyMs = 3_000;

/** Addresses by which this machine can be reached from elsewhere. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .sort();
}

export class NetworkWatch {
  private timer: NodeJS.Timeout | null = null;
  private last = '';
  private readonly onChange: () => void;
  private readonly addresses: () => string[];

  constructor(onChange: () => void, addresses: () => string[] = ownAddresses) {
    this.onChange = onChange;
    this.addresses = addresses;
  }

  start(): void {
    this.last = this.addresses().join();
    this.timer ??= setInterval(() => this.look(), everyMs);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** Apart from its timer, so that tests need none. A network that went away is told when another one comes. */
  look(): void {
    const now = this.addresses().join();
    if (now === this.last) return;
    this.last = now;
    if (now !== '') this.onChange();
  }
}
