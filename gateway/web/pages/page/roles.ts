// Decides who may see a page and act on it, by their role. Links check it too (ui/parts.ts), so that none
// leads to a page that refuses the viewer.
import { AsyncLocalStorage } from 'node:async_hooks'
import { includesRole, type Role } from '../../../../shared/administrators/roles.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { PageFailure } from '../../sessions/failure.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { Call, Page } from './page.ts'

// Also in shared/administrators/roles.ts, for mail, which is in English.
const ROLE_NAMES: Record<Role, Sentence> = {
  reader: sentence`Reader`,
  'front-desk': sentence`Front desk`,
  administrator: sentence`Administrator`,
  owner: sentence`Owner`,
}

export const formatRole = (role: Role): string => translate(ROLE_NAMES[role])

type Audience = { roles: PageRoles; findRole(): Role | undefined }
const audiences = new AsyncLocalStorage<Audience>()

/** The role of the viewer; undefined if they are not signed in. */
export function currentRole(): Role | undefined {
  return audiences.getStore()?.findRole()
}

/** Whether the viewer may open the page at this address, which `call.link` made. */
export function mayOpen(address: string): boolean {
  const role = currentRole()
  return role === undefined || audiences.getStore()?.roles.mayOpen(role, address) !== false
}

/** Without passwords, none can be chosen, changed or asked for, and no links to choose one are created. */
export function requirePasswords({ services, provider }: Call) {
  if (services.config.signIn.isLocal) return
  throw new PageFailure(404, t`Passwords are switched off`, t`Sign in with ${provider?.label ?? ''} instead.`)
}

/** Pages for everybody require no role. */
export function requireRole(viewer: Viewer, needed: Role) {
  if (!viewer.admin || includesRole(viewer.admin.role, needed)) return
  throw new PageFailure(
    403,
    t`Not allowed`,
    t`This needs the role ${formatRole(needed)}; yours is ${formatRole(viewer.admin.role)}. An owner can change it.`,
  )
}

/** Downloads contain a page's data in bulk, so they require the role that may change it. */
export function mayWrite({ admin }: Viewer, page: Page): boolean {
  return admin === undefined || includesRole(admin.role, page.writers)
}

/** Who may open the pages at such addresses. */
type Audiences = { pattern: RegExp; readers: Role; downloaders: Role }

export class PageRoles {
  readonly #root: string
  readonly #patterns: Audiences[]
  // Many links of a page lead to the same path, one after another.
  #last: { own: string; page: Audiences | undefined } | undefined

  constructor(pages: Page[], root: string) {
    this.#root = root
    // In the order of the router: literal paths win.
    const ordered = [...pages].sort((one, other) => countOf(one) - countOf(other))
    this.#patterns = ordered.map(({ path, readers, writers }) => ({
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      readers,
      downloaders: writers,
    }))
  }

  /** Runs `show` for a viewer whose role is known only when the first link asks for it. */
  showTo<Result>(findRole: () => Role | undefined, show: () => Result): Result {
    return audiences.run({ roles: this, findRole }, show)
  }

  mayOpen(role: Role, address: string): boolean {
    const [path = '', search = ''] = address.replace(/#.*$/, '').split('?')
    if (path !== this.#root && !path.startsWith(`${this.#root}/`)) return true
    const own = path.slice(this.#root.length) || '/'
    if (this.#last?.own !== own) {
      this.#last = { own, page: this.#patterns.find(({ pattern }) => pattern.test(own)) }
    }
    const { page } = this.#last
    if (!page) return true
    return includesRole(role, search.includes('_download=') ? page.downloaders : page.readers)
  }
}

const countOf = ({ path }: Page) => path.split('{').length
