// Checks the URL of a webhook: nothing is ever sent to an address in a private network, so such a URL is
// refused at once. Host names are only looked up for each delivery.
import { isIP } from 'node:net'
import { field, message } from '../messages/message.ts'
import { invalid } from '../messages/refusal.ts'
import type { Config } from '../settings/config.ts'
import { PrivateNetworks } from '../utilities/private-networks.ts'

const LOCALHOST = /^(.+\.)?localhost\.?$/

/** Returns the fields unchanged. */
export function requireReachable<Fields extends { url?: string | undefined }>(
  fields: Fields,
  { webhookAllowPrivate }: Pick<Config, 'webhookAllowPrivate'>,
): Fields {
  const { hostname } = new URL(fields.url ?? 'https://unchanged.invalid')
  const plain = LOCALHOST.test(hostname) ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  if (!isIP(plain) || new PrivateNetworks(webhookAllowPrivate).isReachable(plain)) return fields
  throw invalid({
    url: [
      message`${field('url')} must not lead into a private network: nothing is sent to ${hostname} unless WEBHOOK_ALLOW_PRIVATE names it.`,
    ],
  })
}
