// A key and a certificate that only tests know, and the check of the JSON Web Tokens signed with it.
import { execFileSync } from 'node:child_process'
import { constants, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
export const testPrivateKey = privateKey

type Jwt = { header: Record<string, unknown>; claims: Record<string, unknown> }

/** Returns the parts of a token, or undefined if its signature is not right. */
export function readJwt(token: string, algorithm: 'RS256' | 'PS256'): Jwt | undefined {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const isRight = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    {
      key: publicKey,
      ...(algorithm === 'PS256' && {
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }),
    },
    Buffer.from(signature, 'base64url'),
  )
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return isRight ? { header: parse(header), claims: parse(claims) } : undefined
}

/** Makes a certificate of the key with openssl, because Node.js cannot. */
export function createTestCertificate(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-certificate-'))
  try {
    const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    writeFileSync(keyFile, privateKey)
    execFileSync(
      'openssl',
      ['req', '-x509', '-key', keyFile, '-subj', '/CN=berth', '-days', '2', '-out', file],
      {
        stdio: 'ignore',
      },
    )
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
