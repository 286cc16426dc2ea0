// The navigation of people's own pages, in order.
import { sentence } from '../../locales/translate.ts'

export const MY_SECTIONS = [
  { name: 'My week', label: sentence`My week`, path: '/week', icon: 'calendar' },
  { name: 'My day', label: sentence`My day`, path: '/', icon: 'today' },
  { name: 'Book', label: sentence`Book`, path: '/book', icon: 'map' },
  { name: 'Colleagues', label: sentence`People`, path: '/people', icon: 'people' },
  { name: 'Me', label: sentence`Me`, path: '/me', icon: 'settings' },
] as const
export type MySectionName = (typeof MY_SECTIONS)[number]['name']
