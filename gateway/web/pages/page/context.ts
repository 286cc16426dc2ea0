// The context that all requests to the pages of one site share. A gateway has two sites with sessions: the dashboard,
// and people's own pages.
import type pg from 'pg'
import type { Refusal } from '../../../../shared/messages/refusal.ts'
import type { Html } from '../../../html/html.ts'
import type { PageKind } from '../../../overload/page-shares.ts'
import type { ReadConnections } from '../../../reads/connections/read-connections.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { MountPath } from '../../sessions/cookies.ts'
import type { IdentityProvider } from '../../sessions/provider.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { SignIns } from '../../sessions/sign-ins.ts'
import type { Notice } from './notices.ts'
import type { Call, Page, PageView } from './page.ts'
import type { PageRoles } from './roles.ts'
import type { SystemStatus } from './system-status.ts'

/** What a site shows around a page's content. */
export type SiteFrame = Pick<MountPath, 'root'> & {
  pages: Page[]
  title: string
  /** The address that leads back to this page; empty if the page cannot be opened again. */
  here: string
  viewer: Viewer | undefined
  isNarrow: boolean
  section: Page['section']
  systemStatus: string[]
  notice: Html | undefined
  view: PageView
}

export type Site = Pick<MountPath, 'base'> & {
  /** The page limits that apply to this site. */
  kind: PageKind
  pages: Page[]
  /** Finds the viewer to whom this session belongs; undefined if the session has ended. */
  findSignedIn(services: Services, secret: string): Promise<Omit<Viewer, 'secret'> | undefined>
  /** Limits what pages may read, if this depends on the viewer. */
  limitReads?(connections: ReadConnections, viewer: Viewer): pg.Pool
  /** Rewords a refusal for the readers of these pages. */
  wordRefusal?(refusal: Refusal, call: Call): Promise<Refusal>
  /** How long the cookie of a session is valid. */
  sessionSeconds: number
  /** Set if people sign in by mail. The page that they requested is then remembered until they open the link. */
  signsInByMail?: true
  showFrame(frame: SiteFrame): Html
  /** Adds routes for everything that is not a page. */
  addRoutes?(add: (path: string, answer: (ctx: Context) => unknown) => void, context: SiteContext): void
  /** Returns the current address of a page that has moved. */
  findMovedPath?(path: string): string | undefined
  /** Finds the audit log entry of a request's write, if the write can be undone. */
  findUndo?(ctx: Context, viewer: Viewer, services: Services): Promise<Pick<Notice, 'undo' | 'undoAlso'>>
  /** Shows a page that keeps the input of a form that was sent after its session had ended. */
  keepForm?(ctx: Context, page: Page, context: SiteContext): Promise<PageView | undefined>
}

export type SiteContext = MountPath & {
  site: Site
  services: Services
  systemStatus: SystemStatus
  signIns: SignIns
  /** The identity provider; undefined without single sign-on. */
  provider: IdentityProvider | undefined
  roles: PageRoles
}
