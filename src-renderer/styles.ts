// The component library's styles first, so that ours win.
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './postroom.css';
