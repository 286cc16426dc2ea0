// What all requests to the pages of one site share. A gateway has two sites: the dashboard, and the people's own pages.
import type pg from 'pg'
import type { Refusal } from '../../../../shared/messages/refusal.ts'
import type { Html } from '../../../html/html.ts'
import type { PageKind } from '../../../overload/page-shares.ts'
import type { ReadConnections } from '../../../reads/connections/read-connections.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { Mount } from '../../sessions/cookies.ts'
import type { IdentityProvider } from '../../sessions/provider.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { SignIns } from '../../sessions/sign-ins.ts'
import type { Notice } from './notices.ts'
import type { Call, Page, View } from './page.ts'
import type { PageRoles } from './roles.ts'
import type { SystemStatus } from './system-status.ts'

/** What a site shows around a page. */
export type Frame = Pick<Mount, 'root'> & {
  pages: Page[]
  title: string
  /** The address of this page, to return to; empty if it cannot be opened again. */
  here: string
  viewer: Viewer | undefined
  isNarrow: boolean
  section: Page['section']
  systemStatus: string[]
  notice: Html | undefined
  view: View
}

export type Site = Pick<Mount, 'base'> & {
  /** Whose page limits apply to this site. */
  kind: PageKind
  pages: Page[]
  /** Whose session it is; undefined if the session has ended. */
  findSignedIn(services: Services, secret: string): Promise<Omit<Viewer, 'secret'> | undefined>
  /** What pages may read, if that depends on the viewer. */
  limitReads?(connections: ReadConnections, viewer: Viewer): pg.Pool
  /** A refusal in the words of those who read these pages. */
  wordRefusal?(refusal: Refusal, call: Call): Promise<Refusal>
  /** How long the cookie of a session stays. */
  sessionSeconds: number
  /** People sign in by mail, so the page that they asked for is remembered until they open the link. */
  signsInByMail?: true
  showFrame(frame: Frame): Html
  /** What is served beside the pages. */
  addRoutes?(add: (path: string, answer: (ctx: Context) => unknown) => void, context: SiteContext): void
  /** The present address of a page that has moved. */
  movedPath?(path: string): string | undefined
  /** The entry of the audit log with what this request did, if it can be undone. */
  findUndo?(ctx: Context, viewer: Viewer, services: Services): Promise<Pick<Notice, 'undo' | 'undoAlso'>>
  /** A page that keeps the form of somebody whose session has ended. */
  keepForm?(ctx: Context, page: Page, context: SiteContext): Promise<View | undefined>
}

export type SiteContext = Mount & {
  site: Site
  services: Services
  systemStatus: SystemStatus
  signIns: SignIns
  /** Undefined without single sign-on. */
  provider: IdentityProvider | undefined
  roles: PageRoles
}
