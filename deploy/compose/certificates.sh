#!/bin/sh
# An authority and the certificate of the event store, made once. What reads them is told by the folder: the server gets
# its own key, everybody else the authority's certificate. The authority's key is not kept: nothing else is to be signed.
set -eu
umask 022
node=${NODE_FOLDER:-/certificates}
authority=${AUTHORITY_FOLDER:-/authority}
owned=${OWNED_FOLDERS-/owned/data /owned/log}
user=${EVENTSTORE_USER:-1000:1000}
days=825

if [ ! -f "$node/node.crt" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  openssl req -x509 -newkey rsa:3072 -nodes -sha256 -days "$days" -subj '/CN=MACE on this machine' \
    -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -keyout "$work/ca.key" -out "$work/ca.crt" 2> "$work/said" || { cat "$work/said" >&2; exit 1; }
  openssl req -newkey rsa:3072 -nodes -sha256 -subj '/CN=eventstoredb-node' \
    -keyout "$work/node.key" -out "$work/node.csr" 2> "$work/said" || { cat "$work/said" >&2; exit 1; }
  cat > "$work/extensions" << 'EXTENSIONS'
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature,keyEncipherment
extendedKeyUsage=serverAuth,clientAuth
subjectAltName=DNS:eventstore,DNS:localhost,IP:127.0.0.1
EXTENSIONS
  openssl x509 -req -sha256 -days "$days" -in "$work/node.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial \
    -extfile "$work/extensions" -out "$work/node.crt" 2> "$work/said" || { cat "$work/said" >&2; exit 1; }
  mkdir -p "$node/ca"
  install -m 0644 "$work/ca.crt" "$node/ca/ca.crt"
  install -m 0600 "$work/node.key" "$node/node.key"
  # The last: where it is, all of them are.
  install -m 0644 "$work/node.crt" "$node/node.crt"
fi
install -m 0644 "$node/ca/ca.crt" "$authority/ca.crt"
for folder in "$node" $owned; do chown -R "$user" "$folder"; done
