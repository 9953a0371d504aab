# shellcheck shell=bash disable=SC2154
# For tools/dev/kafka, which reads this file on `start DIR --secure`. All that is secret here is made for one folder.
#
# A broker that trusts nobody: an authorizer, and these listeners on 127.0.0.1, as NAME=host:port in DIR/secure/listeners:
#   PLAINTEXT  anonymous                             SCRAM  SASL_SSL, SCRAM-SHA-256 and SCRAM-SHA-512
#   TLS        SSL, anonymous                        PLAIN  SASL_SSL, PLAIN
#   MTLS       SSL, with a client certificate        OPEN   SASL_PLAINTEXT, PLAIN and SCRAM
#   BADHOST    SSL, a certificate for another host   EXPIRED  SSL, a certificate that ended yesterday
# Super users are `broker` and `admin`; nobody else may do anything. DIR/secure/users holds `name password` a line and
# may be written before the start (letters, digits, `.`, `_`, `-`); else alice and bob get passwords by chance.
# In DIR/secure, as PEM: ca, wrong-ca; broker, badhost, expired; client-NAME for admin and each user (.pem, .key), and
# client-NAME.encrypted.key under that user's password; stranger, a client that the wrong CA has signed.

key_kind=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1)

run_openssl() {
  openssl "$@" 2> "$dir/secure/openssl.log" || die "openssl failed: $(tail -n 1 "$dir/secure/openssl.log")"
}

make_ca() {  # name
  run_openssl req -x509 "${key_kind[@]}" -nodes -days 30 -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
}

make_certificate() {  # name common-name ca days extension...
  local name=$1 common_name=$2 ca=$3 days=$4
  shift 4
  run_openssl req "${key_kind[@]}" -nodes -subj "/CN=$common_name" -keyout "$name.key" -out "$name.csr"
  run_openssl x509 -req -in "$name.csr" -CA "$ca.pem" -CAkey "$ca.key" -CAcreateserial -days "$days" -out "$name.pem" \
    -extfile <(printf '%s\n' basicConstraints=CA:FALSE "$@")
  # What Kafka reads: a key and its chain in one file.
  cat "$name.key" "$name.pem" "$ca.pem" > "$name.keystore.pem"
  rm "$name.csr"
}

make_clients() {
  local name password
  make_certificate client-admin admin ca 30 extendedKeyUsage=clientAuth
  make_certificate stranger stranger wrong-ca 30 extendedKeyUsage=clientAuth
  while read -r name password; do
    make_certificate "client-$name" "$name" ca 30 extendedKeyUsage=clientAuth
    run_openssl pkcs8 -topk8 -in "client-$name.key" -out "client-$name.encrypted.key" -passout fd:3 3<<< "$password"
  done < users
}

make_secrets() {
  [[ ! -e $dir/secure/ca.pem ]] || return 0
  mkdir -p "$dir/secure"
  (
    cd "$dir/secure" || exit
    if [[ ! -e users ]]; then
      for name in alice bob; do echo "$name $(head -c 15 /dev/urandom | base64 | tr '+/' '._')"; done > users
    fi
    ! grep -qvE '^[A-Za-z0-9._-]+ [A-Za-z0-9._-]+$' users || die "$dir/secure/users: a line must be \`name password\`"
    make_ca ca
    make_ca wrong-ca
    make_certificate broker broker ca 30 extendedKeyUsage=serverAuth,clientAuth \
      subjectAltName=DNS:broker,DNS:localhost,IP:127.0.0.1
    make_certificate badhost elsewhere ca 30 extendedKeyUsage=serverAuth subjectAltName=DNS:elsewhere.test
    make_certificate expired broker ca -1 extendedKeyUsage=serverAuth subjectAltName=DNS:localhost,IP:127.0.0.1
    make_clients
    rm openssl.log
  )
}

secure_format() {  # cluster-id
  local name password mechanism
  # What the tool prints are the keys that it derives, so only the line that says why it ended is heard, and that not
  # where it names one; the passwords stand on no command line.
  "${java[@]}" kafka.tools.StorageTool format -t "$1" -c "$dir/server.properties" @<(
    while read -r name password; do
      for mechanism in SCRAM-SHA-256 SCRAM-SHA-512; do
        printf -- '--add-scram\n%s=[name=%s,password=%s]\n' "$mechanism" "$name" "$password"
      done
    done < "$dir/secure/users"
  ) 2> "$dir/format.log" > /dev/null ||
    die "Kafka could not format $dir/data:" \
      "$(grep -E '^(Exception|Caused by)' "$dir/format.log" | grep -vE 'user_|password=|salt=' | tail -n 1)"
}

secure_settings() {  # plaintext-port controller-port -> the array `secure`
  local name protocol port clients="PLAINTEXT://127.0.0.1:$1" protocols=CONTROLLER:SSL,PLAINTEXT:PLAINTEXT
  local plain="org.apache.kafka.common.security.plain.PlainLoginModule required"
  local scram="org.apache.kafka.common.security.scram.ScramLoginModule required;"
  : > "$dir/secure/listeners"
  echo "PLAINTEXT=127.0.0.1:$1" >> "$dir/secure/listeners"
  for name in TLS:SSL MTLS:SSL BADHOST:SSL EXPIRED:SSL SCRAM:SASL_SSL PLAIN:SASL_SSL OPEN:SASL_PLAINTEXT; do
    take_port
    clients+=",${name%:*}://127.0.0.1:$port"
    protocols+=",$name"
    echo "${name%:*}=127.0.0.1:$port" >> "$dir/secure/listeners"
  done
  while read -r name protocol; do plain+=" user_$name=\"$protocol\""; done < "$dir/secure/users"
  secure=(
    "listeners=$clients,CONTROLLER://127.0.0.1:$2"
    "advertised.listeners=$clients"
    "listener.security.protocol.map=$protocols"
    "inter.broker.listener.name=MTLS"
    "ssl.keystore.type=PEM" "ssl.keystore.location=$dir/secure/broker.keystore.pem"
    "ssl.truststore.type=PEM" "ssl.truststore.location=$dir/secure/ca.pem"
    "ssl.principal.mapping.rules=RULE:^CN=([^,]+).*\$/\$1/,DEFAULT"
    "listener.name.mtls.ssl.client.auth=required"
    "listener.name.controller.ssl.client.auth=required"
    "listener.name.badhost.ssl.keystore.location=$dir/secure/badhost.keystore.pem"
    "listener.name.expired.ssl.keystore.location=$dir/secure/expired.keystore.pem"
    "listener.name.scram.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512"
    "listener.name.plain.sasl.enabled.mechanisms=PLAIN"
    "listener.name.open.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
    "listener.name.plain.plain.sasl.jaas.config=$plain;"
    "listener.name.open.plain.sasl.jaas.config=$plain;"
  )
  for name in scram open; do
    secure+=("listener.name.$name.scram-sha-256.sasl.jaas.config=$scram"
      "listener.name.$name.scram-sha-512.sasl.jaas.config=$scram")
  done
  secure+=("authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    "super.users=User:broker;User:admin" "allow.everyone.if.no.acl.found=false")
}
