// What the answers of one gateway's dashboard have in common.
import type { Services } from '../../services.ts'
import type { Page } from './page.ts'
import type { PageRoles } from './roles.ts'
import type { SignIns } from './sessions/sign-ins.ts'
import type { IdentityProvider } from './single-sign-on/provider.ts'
import type { SystemStatus } from './system-status.ts'

export type DashboardContext = {
  services: Services
  pages: Page[]
  systemStatus: SystemStatus
  signIns: SignIns
  /** Undefined where nobody signs in through one. */
  provider: IdentityProvider | undefined
  roles: PageRoles
  /** The path below which the service is reached. */
  root: string
}
