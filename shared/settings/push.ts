// Reads the settings of notifications to browsers (Web Push): the key pair (VAPID) by which push services recognize
// Berth, and a contact.
import { createECDH } from 'node:crypto'
import { isEmail } from '../utilities/texts.ts'
import type { EnvironmentReader } from './environment.ts'

export type PushSettings = NonNullable<ReturnType<typeof readPush>>

const CREATE_KEYS_HINT = 'npm run push-keys creates both keys.'

export function readPush(read: EnvironmentReader) {
  const publicKey = read.text('PUSH_PUBLIC_KEY', '')
  const privateKey = read.text('PUSH_PRIVATE_KEY', '')
  const contact = read.text('PUSH_CONTACT', '')
  if (!publicKey && !privateKey) {
    if (contact)
      read.problem(`PUSH_CONTACT is set, and PUSH_PUBLIC_KEY is not: ${CREATE_KEYS_HINT}`, undefined)
    return undefined
  }
  if (!publicKey || !privateKey)
    read.problem(`PUSH_PUBLIC_KEY and PUSH_PRIVATE_KEY must both be set: ${CREATE_KEYS_HINT}`, undefined)
  else if (computePublicKey(privateKey) !== publicKey)
    read.problem(`PUSH_PUBLIC_KEY does not belong to PUSH_PRIVATE_KEY: ${CREATE_KEYS_HINT}`, undefined)
  if (!isContact(contact))
    read.problem(
      'PUSH_CONTACT must be an address for the operators of push services: mailto:it@example.com or https://example.com.',
      undefined,
    )
  return { publicKey, privateKey, contact }
}

function isContact(text: string): boolean {
  if (text.startsWith('mailto:')) return isEmail(text.slice('mailto:'.length))
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}

function computePublicKey(privateKey: string): string | undefined {
  try {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return pair.getPublicKey().toString('base64url')
  } catch {
    return undefined
  }
}
