import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The ink that letters are written with: a quiet blue, used for what can be acted upon. */
const ink: MantineColorsTuple = [
  '#eff4fa',
  '#dde7f2',
  '#b9cde4',
  '#93b2d6',
  '#739bc9',
  '#5f8dc2',
  '#4978b0',
  '#386aa4',
  '#2b5a92',
  '#1a4a80',
];

/** Softer than the library's own, so that a screen full of badges stays calm. */
const teal: MantineColorsTuple = [
  '#edf7f3',
  '#d8ece4',
  '#b0d9c9',
  '#85c5ac',
  '#61b493',
  '#4aaa84',
  '#3da57c',
  '#2e906a',
  '#237f5d',
  '#116d4e',
];

const yellow: MantineColorsTuple = [
  '#fdf6e3',
  '#f9ebc6',
  '#f2d88f',
  '#ebc456',
  '#e5b12b',
  '#e0a50f',
  '#d99c00',
  '#b98300',
  '#9a6c00',
  '#7d5700',
];

/** Greys with a little warmth, as paper has them. */
const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ee',
  '#eae7e1',
  '#dedad3',
  '#cbc6bd',
  '#a8a299',
  '#7a756d',
  '#57534d',
  '#3a3733',
  '#232120',
];

const dark: MantineColorsTuple = [
  '#d6d8db',
  '#bcc0c5',
  '#9aa0a8',
  '#757c86',
  '#3b4149',
  '#2d3238',
  '#22262b',
  '#191c20',
  '#131518',
  '#0d0f11',
];

/** The library makes headers of dialogs <header> elements, which readers of the page announce as banners. */
const headerOfNoPage = { header: { role: 'presentation' } };

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  colors: { ink, teal, yellow, gray, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily:
    "'Inter Variable', Inter, 'Segoe UI Variable Text', system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650' },
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250, multiline: true, maw: 320 } },
    Modal: {
      defaultProps: {
        attributes: headerOfNoPage,
        centered: true,
        radius: 'lg',
        zIndex: 300,
        overlayProps: { backgroundOpacity: 0.35 },
      },
    },
    Drawer: { defaultProps: { attributes: headerOfNoPage, overlayProps: { backgroundOpacity: 0.25 } } },
    Button: { defaultProps: { fw: 550 } },
  },
});
