// Links of the dashboard. Each is written here, because each asks whether the viewer's role may open the page that it leads to.
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import { mayOpen } from '../framework/roles.ts'

type Attributes = Parameters<typeof attributes>[0]

/** A link that stands alone, such as “Change”; nothing where the viewer may not open the page. No sentence takes it. */
export function showLink(address: string, content: Content, more: Attributes = {}): Html | null {
  return mayOpen(address) ? html`<a${attributes({ href: address, ...more })}>${content}</a>` : null
}

/** A link whose words are needed in any case, such as a name; its words alone where the viewer may not open the page. */
export function showLinkOrText(address: string, content: Content, more?: Attributes): Html {
  return showLink(address, content, more) ?? html`${content}`
}
