/** Run as a process of its own: serves a file, writes to itself without end and prints what was acknowledged. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { startControlPlane } from '../../../src/control-plane/index.ts'

const [, , path = '', pkiFile = ''] = process.argv
const pki = JSON.parse(readFileSync(pkiFile, 'utf8'))
const { url } = await startControlPlane({
  storage: { type: 'sqlite', path },
  tls: { cert: pki.servingCert, key: pki.servingKey },
  clientCa: pki.caCert,
  tokens: [{ token: 't', user: 'u', groups: ['system:masters'] }],
})
for (let n = 0; ; n += 1) {
  const name = `written-${n}`
  await new Promise<void>((resolve, reject) => {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const options = { method: 'POST', ca: pki.caCert, headers }
    const call = request(`${url}/api/v1/namespaces/default/configmaps`, options, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    call.on('error', reject)
    call.end(JSON.stringify({ metadata: { name } }))
  })
  process.stdout.write(`${name}\n`)
}
