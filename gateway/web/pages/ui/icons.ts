// Icons. All icons are in one file that browsers cache (browser/icons.svg), and are hidden from screen
// readers: the text beside an icon, or the label of its button, says what the icon means.
import { type Html, html } from '../../../html/html.ts'
import { formatAssetLink } from '../page/assets.ts'

export type IconName =
  | 'add'
  | 'audit-log'
  | 'away'
  | 'bookings'
  | 'calendar'
  | 'close'
  | 'day'
  | 'desk'
  | 'filter'
  | 'fit'
  | 'home'
  | 'integrations'
  | 'map'
  | 'meetings'
  | 'menu'
  | 'more'
  | 'next'
  | 'parking'
  | 'people'
  | 'places'
  | 'previous'
  | 'queues'
  | 'reports'
  | 'room'
  | 'search'
  | 'settings'
  | 'sidebar'
  | 'sign-out'
  | 'subtract'
  | 'team'
  | 'today'
  | 'undo'
  | 'visitors'

/** Shows an icon. `root` is the path under which Berth is served. */
export function showIcon(root: string, name: IconName): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="${formatAssetLink(root, 'icons.svg')}#${name}"/></svg>`
}
