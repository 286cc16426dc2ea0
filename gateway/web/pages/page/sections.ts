// The sections of the dashboard, as its navigation shows them.
import { sentence } from '../../locales/translate.ts'

/**
 * In the order of the navigation. The code uses one name, whatever the visitor's language. `group`: what the office
 * needs every day, what describes it, and below a line what keeps the service running.
 */
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
