// Who may see a page and act on it, by their role. What leads to a page that its viewer may not see is left out of every
// other one: a link is no promise that is broken.
import { includesRole, type Role } from '../../../shared/contracts/administrators/roles.ts'
import { Html } from '../../http/html.ts'
import { type Sentence, sentence, t, translate } from '../language/translate.ts'
import { DASHBOARD } from './addresses.ts'
import { PageFailure } from './failure.ts'
import type { Page } from './page.ts'
import type { Viewer } from './sessions/sessions.ts'

// Also in shared/contracts/administrators/roles.ts, for mails, which are in English.
const ROLE_NAMES: Record<Role, Sentence> = {
  reader: sentence`Reader`,
  'front-desk': sentence`Front desk`,
  administrator: sentence`Administrator`,
  owner: sentence`Owner`,
}

const LINK = /<a\b([^>]*)>[\s\S]*?<\/a>/g
// Of bull-board, whose pages are none of ours.
const BOARD = { pattern: /^\/queues(\/|$)/, readers: 'administrator', downloaders: 'administrator' } as const

export const formatRole = (role: Role): string => translate(ROLE_NAMES[role])

/** Pages for everybody ask for none. */
export function requireRole(viewer: Viewer, needed: Role) {
  if (!viewer.admin || includesRole(viewer.admin.role, needed)) return
  throw new PageFailure(
    403,
    t`Not allowed`,
    t`This needs the role ${formatRole(needed)}; yours is ${formatRole(viewer.admin.role)}. An owner can change it.`,
  )
}

/** Files are what a page has in bulk: they are for those who may change it. */
export function mayWrite({ admin }: Viewer, page: Page): boolean {
  return admin === undefined || includesRole(admin.role, page.writers)
}

export class PageRoles {
  readonly #root: string
  readonly #patterns: Array<{ pattern: RegExp; readers: Role; downloaders: Role }>

  constructor(pages: Page[], root: string) {
    this.#root = root + DASHBOARD
    // As the router does: literal paths win.
    const ordered = [...pages].sort((one, other) => countOf(one) - countOf(other))
    this.#patterns = [
      BOARD,
      ...ordered.map(({ path, readers, writers }) => ({
        pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
        readers,
        downloaders: writers,
      })),
    ]
  }

  /** Takes away the links that stand alone and lead where this role may not go; sentences ask `call.mayOpen` for theirs. */
  hideLinks(content: Html, role: Role | undefined): Html {
    if (role === undefined || role === 'owner') return content
    const text = content.text.replace(LINK, (whole, own: string) => {
      const [, address] = /\shref="([^"]*)"/.exec(own) ?? []
      return address === undefined || this.mayOpen(role, address) ? whole : ''
    })
    return new Html(text)
  }

  mayOpen(role: Role, address: string): boolean {
    const [path = '', search = ''] = address.replace(/#.*$/, '').split('?')
    if (path !== this.#root && !path.startsWith(`${this.#root}/`)) return true
    const own = path.slice(this.#root.length) || '/'
    const page = this.#patterns.find(({ pattern }) => pattern.test(own))
    if (!page) return true
    return includesRole(role, search.includes('_download=') ? page.downloaders : page.readers)
  }
}

const countOf = ({ path }: Page) => path.split('{').length
