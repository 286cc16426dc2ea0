// The dashboard's styles and scripts. Their addresses contain a hash of the content, so that browsers may
// cache them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { unknownPath } from '../../../shared/messages/refusal.ts'
import type { Context } from '../../services/context.ts'
import { DASHBOARD } from './sessions/addresses.ts'

type Asset = { name: string; hash: string; type: string; content: Buffer }

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
// It controls all pages of the dashboard. By default, a service worker controls only its own folder.
const SERVICE_WORKER = 'form-keeper.js'

const directory = join(import.meta.dirname, '../client')

const assets = new Map(
  readdirSync(directory)
    .filter((name) => extname(name) in TYPES)
    .map((name) => [name, load(name)]),
)

export const ASSET_PATH = `${DASHBOARD}/assets/:hash/:name`

export function assetLink(root: string, name: string): string {
  const asset = assets.get(name)
  if (!asset) throw new Error(`There is no asset ${name}`)
  return `${root}${DASHBOARD}/assets/${asset.hash}/${name}`
}

export function sendAsset(ctx: Context, { hash, name }: { hash: string; name: string }) {
  const asset = assets.get(name)
  if (!asset) throw unknownPath(ctx.path)
  // During a rollout, a page of one version may ask a gateway of the other. The gateway sends the file that
  // it has, but the browser must not cache it.
  const isKnown = asset.hash === hash
  ctx.set('Cache-Control', isKnown ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (name === SERVICE_WORKER) ctx.set('Service-Worker-Allowed', '../../')
  ctx.type = asset.type
  ctx.body = asset.content
}

function load(name: string): Asset {
  const content = readFileSync(join(directory, name))
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { name, hash, type: TYPES[extname(name)] ?? '', content }
}
