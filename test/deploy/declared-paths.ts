// Records every path that a gateway registers.
import { healthRoutes } from '../../gateway/server/http/health.ts'
import { Routes } from '../../gateway/server/http/router.ts'
import { SITE_PATHS } from '../../gateway/web/sessions/addresses.ts'
import type { World } from '../support/world.ts'

/** Paths that only monitoring may reach. */
export const hiddenPaths = healthRoutes.map(({ path }) => path)

/**
 * Records the paths of a gateway that starts after this call. The returned function returns the gateway's public paths.
 */
export function recordPublicPaths(): (world: World) => Promise<string[]> {
  const { add } = Routes.prototype
  const paths = new Set<string>()
  Routes.prototype.add = function (method, path, ...rest) {
    paths.add(path)
    return Reflect.apply(add, this, [method, path, ...rest])
  }
  return async ({ url }) => {
    // A site registers its pages on the first request for any of them.
    for (const site of SITE_PATHS) await fetch(`${url}${site}/first`, { redirect: 'manual' })
    Routes.prototype.add = add
    return [...paths].filter((path) => !hiddenPaths.includes(path))
  }
}

/** Replaces every parameter of the path with the given value. */
export const fillParameters = (path: string, value: string) => path.replace(/\{\w+\}|:\w+/g, value)
