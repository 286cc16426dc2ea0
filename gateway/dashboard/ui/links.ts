// Links of the dashboard. All of them are made here, to check that the viewer's role may open the page that
// they lead to.
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import { mayOpen } from '../kit/roles.ts'

type Attributes = Parameters<typeof attributes>[0]

/**
 * A link that stands alone, such as “Change”; null if the viewer may not open the page. Not for use in a
 * sentence.
 */
export function showLink(address: string, content: Content, more: Attributes = {}): Html | null {
  return mayOpen(address) ? html`<a${attributes({ href: address, ...more })}>${content}</a>` : null
}

/** A link whose text is always needed, such as a name. Only the text if the viewer may not open the page. */
export function showLinkOrText(address: string, content: Content, more?: Attributes): Html {
  return showLink(address, content, more) ?? html`${content}`
}
