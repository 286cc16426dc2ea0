// What the answers of one gateway's dashboard have in common.
import type { Services } from '../../services.ts'
import type { Page } from './page.ts'
import type { SignIns } from './sessions/sign-ins.ts'
import type { Condition } from './system-status.ts'

export type House = {
  services: Services
  pages: Page[]
  condition: Condition
  signIns: SignIns
  /** The path below which the service is reached. */
  root: string
}
