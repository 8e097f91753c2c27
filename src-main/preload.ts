import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge } from './contract/channels.ts';
import { callNames, signalNames } from './contract/names.ts';

const knownCalls: ReadonlySet<string> = new Set(callNames);
const knownSignals: ReadonlySet<string> = new Set(signalNames);

/** The one door between window and main process: only names of the contract pass. */
const bridge: Bridge = {
  call: (name, ...args) => {
    if (!knownCalls.has(name)) return Promise.reject(new Error(`no call ${String(name)}`));
    return ipcRenderer.invoke(name, ...args);
  },
  on: (signal, listener) => {
    if (!knownSignals.has(signal)) throw new Error(`no signal ${String(signal)}`);
    // the event object itself would hand ipcRenderer to the page
    const forward = (_event: unknown, data: Parameters<typeof listener>[0]) => listener(data);
    ipcRenderer.on(signal, forward);
    return () => {
      ipcRenderer.removeListener(signal, forward);
    };
  },
};

contextBridge.exposeInMainWorld('postroom', bridge);
