// Records every path that a gateway declares for endpoints, documents and pages.
import { healthRoutes } from '../../gateway/server/http/health.ts'
import { Routes } from '../../gateway/server/http/router.ts'
import { SITES } from '../../gateway/web/sessions/addresses.ts'
import type { World } from '../support/world.ts'

/** Paths that only monitoring may reach. */
export const hiddenPaths = healthRoutes.map(({ path }) => path)

/** Call it before the gateway starts. The returned function loads the gateway's sites and returns its public paths. */
export function recordPublicPaths(): (world: World) => Promise<string[]> {
  const { add } = Routes.prototype
  const paths = new Set<string>()
  Routes.prototype.add = function (method, path, ...rest) {
    paths.add(path)
    return Reflect.apply(add, this, [method, path, ...rest])
  }
  return async ({ url }) => {
    // A site declares its pages when somebody first asks for one.
    for (const site of SITES) await fetch(`${url}${site}/first`, { redirect: 'manual' })
    Routes.prototype.add = add
    return [...paths].filter((path) => !hiddenPaths.includes(path))
  }
}

/** Replaces every parameter of the path with this value. */
export const fillParameters = (path: string, value: string) => path.replace(/\{\w+\}|:\w+/g, value)
