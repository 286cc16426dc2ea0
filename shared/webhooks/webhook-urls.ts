// Checks the URL of a webhook. Berth never sends anything to an address in a private network, so it refuses such a URL
// at once. Host names are looked up only at each delivery.
import { isIP } from 'node:net'
import { fieldName, message } from '../messages/message.ts'
import { invalidFields } from '../messages/refusal.ts'
import type { Config } from '../settings/config.ts'
import { PrivateNetworks } from '../utilities/private-networks.ts'

const LOCALHOST_PATTERN = /^(.+\.)?localhost\.?$/

/** Throws if webhooks must not be sent to this URL. Otherwise returns the fields unchanged. */
export function requirePublicUrl<Fields extends { url?: string | undefined }>(
  fields: Fields,
  { webhookAllowPrivate }: Pick<Config, 'webhookAllowPrivate'>,
): Fields {
  const { hostname } = new URL(fields.url ?? 'https://unchanged.invalid')
  const plain = LOCALHOST_PATTERN.test(hostname) ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  if (!isIP(plain) || new PrivateNetworks(webhookAllowPrivate).isReachable(plain)) return fields
  throw invalidFields({
    url: [
      message`${fieldName('url')} must not point to a private network: nothing is sent to ${hostname} unless WEBHOOK_ALLOW_PRIVATE lists it.`,
    ],
  })
}
