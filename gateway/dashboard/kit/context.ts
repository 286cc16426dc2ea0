// What all requests to the dashboard of one gateway share.
import type { Services } from '../../services/services.ts'
import type { Page } from './page.ts'
import type { PageRoles } from './roles.ts'
import type { IdentityProvider } from './sessions/provider.ts'
import type { SignIns } from './sessions/sign-ins.ts'
import type { SystemStatus } from './system-status.ts'

export type DashboardContext = {
  services: Services
  pages: Page[]
  systemStatus: SystemStatus
  signIns: SignIns
  /** Undefined without single sign-on. */
  provider: IdentityProvider | undefined
  roles: PageRoles
  /** The path of the service. */
  root: string
}
