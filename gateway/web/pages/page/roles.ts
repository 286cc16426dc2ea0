// Decides by a viewer's role whether they may see a page and act on it. Links use these roles too
// (ui/parts.ts), so that no link leads to a page that refuses the viewer.
import { AsyncLocalStorage } from 'node:async_hooks'
import { includesRole, type Role } from '../../../../shared/administrators/roles.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { PageFailure } from '../../sessions/failure.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { Call, Page } from './page.ts'

// The names of roles. shared/administrators/roles.ts also has role names, for mails, which are in English.
const ROLE_NAMES: Record<Role, Sentence> = {
  reader: sentence`Reader`,
  'front-desk': sentence`Front desk`,
  administrator: sentence`Administrator`,
  owner: sentence`Owner`,
}

export const formatRole = (role: Role): string => translate(ROLE_NAMES[role])

type CurrentAudience = { roles: PageRoles; findRole(): Role | undefined }
const audiences = new AsyncLocalStorage<CurrentAudience>()

/** Returns the viewer's role, or undefined if the viewer is not signed in. */
export function currentRole(): Role | undefined {
  return audiences.getStore()?.findRole()
}

/** Returns whether the viewer may open the page at this address, which `call.link` returned. */
export function canOpen(address: string): boolean {
  const role = currentRole()
  return role === undefined || audiences.getStore()?.roles.mayOpen(role, address) !== false
}

/** Refuses to choose, change or ask for passwords, or to create password links, if passwords are off. */
export function requirePasswords({ services, provider }: Call) {
  if (services.config.signIn.isLocal) return
  throw new PageFailure(404, t`Passwords are switched off`, t`Sign in with ${provider?.label ?? ''} instead.`)
}

/** Refuses viewers below a role. Pages that are open to everybody require no role. */
export function requireRole(viewer: Viewer, needed: Role) {
  if (!viewer.admin || includesRole(viewer.admin.role, needed)) return
  throw new PageFailure(
    403,
    t`Not allowed`,
    t`This needs the role ${formatRole(needed)}; yours is ${formatRole(viewer.admin.role)}. An owner can change it.`,
  )
}

/** Returns whether the viewer may change the page's data. Downloads require the same role, because they
 * contain a page's data in bulk. */
export function canWrite({ admin }: Viewer, page: Page): boolean {
  return admin === undefined || includesRole(admin.role, page.writers)
}

/** The roles that may open the pages whose addresses match a pattern. */
type PageAudience = { pattern: RegExp; readers: Role; downloaders: Role }

export class PageRoles {
  readonly #root: string
  readonly #patterns: PageAudience[]
  // The last match is cached, because many consecutive links of a page lead to the same path.
  #last: { own: string; page: PageAudience | undefined } | undefined

  constructor(pages: Page[], root: string) {
    this.#root = root
    // Sorts patterns the way the router does, so that literal paths come first.
    const ordered = [...pages].sort((one, other) => countPathPieces(one) - countPathPieces(other))
    this.#patterns = ordered.map(({ path, readers, writers }) => ({
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      readers,
      downloaders: writers,
    }))
  }

  /** Runs `show` for a viewer. Looks up the viewer's role only when the first link asks for it. */
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

const countPathPieces = ({ path }: Page) => path.split('{').length
