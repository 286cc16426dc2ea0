// The sections of the dashboard in its navigation.
import { sentence } from '../../locales/translate.ts'

/** The sections in the order of the navigation. The code uses `name`, which is the same in every language.
 * `group` separates the sections that the office needs every day, the sections that describe the office, and
 * the sections that keep Berth running. */
export const SECTIONS = [
  { name: 'Today', label: sentence`Today`, path: '/', icon: 'today', group: 'daily' },
  { name: 'Map', label: sentence`Map`, path: '/map', icon: 'map', group: 'daily' },
  { name: 'Day', label: sentence`Day`, path: '/day', icon: 'day', group: 'daily' },
  { name: 'Bookings', label: sentence`Bookings`, path: '/bookings', icon: 'bookings', group: 'daily' },
  { name: 'Events', label: sentence`Meetings`, path: '/events', icon: 'meetings', group: 'daily' },
  { name: 'Visitors', label: sentence`Visitors`, path: '/visitors', icon: 'visitors', group: 'daily' },
  { name: 'People', label: sentence`People`, path: '/people', icon: 'people', group: 'daily' },
  { name: 'Places', label: sentence`Places`, path: '/places', icon: 'places', group: 'office' },
  { name: 'Reports', label: sentence`Reports`, path: '/reports', icon: 'reports', group: 'office' },
  {
    name: 'Integrations',
    label: sentence`Integrations`,
    path: '/integrations',
    icon: 'integrations',
    group: 'service',
  },
  { name: 'Queues', label: sentence`Queues`, path: '/queue-health', icon: 'queues', group: 'service' },
  { name: 'Audit log', label: sentence`Audit log`, path: '/audit-log', icon: 'audit-log', group: 'service' },
  { name: 'Settings', label: sentence`Settings`, path: '/settings', icon: 'settings', group: 'service' },
] as const
export type SectionName = (typeof SECTIONS)[number]['name']
