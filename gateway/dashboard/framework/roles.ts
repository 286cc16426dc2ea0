// Who may see a page and act on it, by their role. Links ask for it too (ui/links.ts), so none leads to a page that refuses its
// viewer.
import { AsyncLocalStorage } from 'node:async_hooks'
import { includesRole, type Role } from '../../../shared/contracts/administrators/roles.ts'
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

// Of bull-board, whose pages are none of ours.
const BOARD = { pattern: /^\/queues(\/|$)/, readers: 'administrator', downloaders: 'administrator' } as const

export const formatRole = (role: Role): string => translate(ROLE_NAMES[role])

type Audience = { roles: PageRoles; findRole(): Role | undefined }
const audiences = new AsyncLocalStorage<Audience>()

/** The role of the viewer; undefined where nobody is signed in. */
export function currentRole(): Role | undefined {
  return audiences.getStore()?.findRole()
}

/** Whether the viewer may open the page at this address, as `call.link` makes it. */
export function mayOpen(address: string): boolean {
  const role = currentRole()
  return role === undefined || audiences.getStore()?.roles.mayOpen(role, address) !== false
}

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

  /** What is put together in here is for a viewer of this role, which is known when the first link asks for it. */
  showTo<Result>(findRole: () => Role | undefined, show: () => Result): Result {
    return audiences.run({ roles: this, findRole }, show)
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
