// Serves the dashboard without the rest of the gateway, with additional pages from a test.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { createRequestContext } from '../../../gateway/server/http/middleware/request-context.ts'
import type { State } from '../../../gateway/server/services/context.ts'
import { openServices } from '../../../gateway/server/services/services.ts'
import { dashboardOf } from '../../../gateway/web/admin/dashboard.ts'
import { pages } from '../../../gateway/web/admin/pages.ts'
import type { Page } from '../../../gateway/web/pages/page/page.ts'
import { servePages } from '../../../gateway/web/pages/site/serve-pages.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { useWith } from '../use.ts'
import type { World } from '../world.ts'

export type Stage = { url: string; database: World['database']; close(): Promise<void> }

export function useStage(world: World, madeUp: Page[]): Stage {
  return useWith(
    world,
    () => openStage(world, madeUp),
    (stage) => stage.close(),
  )
}

async function openStage(world: World, madeUp: Page[]): Promise<Stage> {
  const services = openServices(world.config, createLog('stage', world.config.logLevel))
  const app = new Koa<State>()
  for (const step of [
    createRequestContext(services),
    servePages(services, dashboardOf([...pages, ...madeUp], services.config)),
  ]) {
    app.use(step)
  }
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    database: world.database,
    async close() {
      server.close()
      server.closeAllConnections()
      await services.close()
    },
  }
}
