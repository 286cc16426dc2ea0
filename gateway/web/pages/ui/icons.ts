// Icons. They are drawn from one file that browsers keep (browser/icons.svg), and hidden from screen readers: the text
// beside an icon, or the label of its button, says what it means.
import { type Html, html } from '../../../html/html.ts'
import { assetLink } from '../page/assets.ts'

export type IconName =
  | 'add'
  | 'audit-log'
  | 'bookings'
  | 'close'
  | 'day'
  | 'fit'
  | 'integrations'
  | 'map'
  | 'meetings'
  | 'menu'
  | 'more'
  | 'next'
  | 'people'
  | 'places'
  | 'previous'
  | 'queues'
  | 'reports'
  | 'search'
  | 'settings'
  | 'sidebar'
  | 'sign-out'
  | 'subtract'
  | 'today'
  | 'visitors'

/** `root` is the path below which the service is mounted. */
export function icon(root: string, name: IconName): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="${assetLink(root, 'icons.svg')}#${name}"/></svg>`
}
