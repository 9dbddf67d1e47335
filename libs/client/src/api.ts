/** Written by scripts/generate-client.mjs from openapi.json (sha256 f87bc07722b36b3f1a0db4092950881af9dbde05c340850e75000c7301302322). */

export interface paths {
    readonly "/.well-known/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The public keys of answers’ signatures, retired ones too
         * @description A JSON Web Key Set (RFC 7517). `nbf` and `exp` say when a key signed, in seconds since the Unix epoch; the one that signs now has no `exp`.
         */
        readonly get: operations["WellKnownController.jwks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/mace-log.vkey": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The verifier keys of the log’s checkpoints, one a line, the one that signs now first
         * @description Keys of C2SP signed-note: `<origin>+<key id>+<base64>`. Keep a copy elsewhere: that is what to trust.
         */
        readonly get: operations["LogKeysController.keys"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/actionrequest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Requests, newest first
         * @description One’s own; everybody’s for those who decide, operate and audit.
         */
        readonly get: operations["ActionRequestsController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/actionrequest/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One request, with its proposal and the digest that votes sign */
        readonly get: operations["ActionRequestsController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/actionrequest/{id}/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * One admin’s approval of a request of the low class
         * @description On a request that an emergency has begun for: the second signature.
         */
        readonly post: operations["ActionRequestsController.approve"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/actionrequest/{id}/vote": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A vote on a request
         * @description One a member, never on one’s own request; decided with the third counted vote. A second or late vote is a conflict.
         */
        readonly post: operations["ActionRequestsController.vote"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/actionrequest/create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Asks for a governed action
         * @description Its class follows from the action. Nothing is done before it is approved.
         */
        readonly post: operations["ActionRequestsController.create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/incident/ack": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Acknowledges an incident
         * @description For an elevated admin, once an incident; a second one is a conflict.
         */
        readonly post: operations["IncidentsController.acknowledge"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/apt/{node_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A module’s trust, and what moved it, newest first */
        readonly get: operations["TrustController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/apt/event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Says something of a module that may move its trust
         * @description A MANUAL_OVERRIDE takes the council: 202 with the request to vote on. If-Match holds what else is said to the ETag of the module; an override cannot be held to it.
         */
        readonly post: operations["TrustController.post"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/apt/recompute": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Computes a module’s trust anew from its stream, and says whether it equals the stored one */
        readonly post: operations["TrustController.recompute"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/bundle/{job_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Everything that proves a job, in one document: `mace verify` checks it without server or network
         * @description Save the answer as it comes, or have `mace bundle` pack it. Personal fields are as stored, encrypted. Of what was said of the log later it holds the beginning, and `said_later` how much that is. Waits for a checkpoint that covers the job, and for its witness.
         */
        readonly get: operations["BundlesController.bundle"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/checkpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A signed checkpoint over all that was appended before, the keys that verify it, and how the log stands
         * @description A checkpoint (C2SP tlog-checkpoint) says how many events the log has and the root of the Merkle tree over them. `note` is the whole signed note; `ready_for_bundles` is false while the log is not signed, or its witness does not cosign.
         */
        readonly get: operations["ProofController.checkpoint"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/checkpoint/note": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Such a checkpoint as the signed note alone */
        readonly get: operations["ProofController.note"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/consistency": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * That the log of one size begins the log of another: nothing between was changed or removed
         * @description Sizes are numbers of events, as checkpoints name them. The proof is that of RFC 9162, 2.1.4.
         */
        readonly get: operations["ProofController.consistency"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/event/{event_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One event: one that one caused, or of one’s own job; any, for auditor and admin
         * @description Personal fields are redacted. With `unredacted=true` an auditor or admin sees them, once an admin_access_event says so; where that cannot be written, nothing is shown.
         */
        readonly get: operations["AuditController.event"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Events in the order of the log, by stream, type and position
         * @description Personal fields are redacted. With `unredacted=true` an auditor or admin sees them, once an admin_access_event says so; where that cannot be written, nothing is shown. `form=stored` adds each event’s signed text; `position` says what the list contains.
         */
        readonly get: operations["AuditController.events"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/evidence/{evidence_ref}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Forensic evidence, as events name it in evidence_ref
         * @description For an elevated admin. That somebody looks is recorded in the evidence’s own trail first; where that cannot be written, nothing is shown. What rests on a consent that has ended is withheld from everybody.
         */
        readonly get: operations["AuditController.evidence"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/proof/{event_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * That an event is in the log: its leaf, and the path to the root of the newest checkpoint
         * @description Waits for a checkpoint over an event that was appended a moment ago. Hashes are those of RFC 9162; `entry` is what the leaf is the hash of, with the hash of the event’s data as it is stored. An event that no key of this server has signed at that place is not proven.
         */
        readonly get: operations["ProofController.proof"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/streams/{stream}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The events of a stream as it stands, in order
         * @description A name with slashes is sent percent-encoded. Personal fields are redacted. With `unredacted=true` an auditor or admin sees them, once an admin_access_event says so; where that cannot be written, nothing is shown. `form=stored` adds each event’s signed text.
         */
        readonly get: operations["AuditController.stream"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/otp/enrol": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Draws a new secret for one’s one-time codes
         * @description It replaces the one before, and is shown once; each request draws another, under one Idempotency-Key too. The first one is drawn by `mace otp enrol` on the data folder, unless an issuer vouches for the second factor.
         */
        readonly post: operations["AuthController.enrol"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Revokes a token, at once and for good
         * @description One’s own by itself or by its jti; another’s with an elevated admin token. An elevated admin’s jti is void whoever holds it. What a step-up traded the token for is revoked with it.
         */
        readonly post: operations["AuthController.revoke"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/step-up": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Trades the token and a one-time code for an elevated token
         * @description The elevated token has the same roles, and lives for 300 seconds at most. A code works once; wrong, used and not enrolled are one answer. Five wrong codes lock this for fifteen minutes. No Idempotency-Key makes a code work twice.
         */
        readonly post: operations["AuthController.elevate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/brainstate/{snapshot_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A BrainState, now or as of a position
         * @description Operators and auditors see what kinds of things it holds, admin and council see what they say.
         */
        readonly get: operations["BrainStateController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/brainstate/create_snapshot": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes the snapshot on which your job of this seed will run
         * @description Signed, kept for good, without personal data; the same request gives the same snapshot.
         */
        readonly post: operations["BrainStateController.create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/brainstate/insert": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Records what a later tick may take into working memory
         * @description Personal data in it is replaced by its type before anything is recorded.
         */
        readonly post: operations["BrainStateController.insert"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/brainstate/query": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** What the router would be told */
        readonly post: operations["BrainStateController.query"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/brainstate/tick": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Advances a BrainState by one step
         * @description On signed events that exist: insertions of its own, decisions of a council, feedback; each of them once.
         */
        readonly post: operations["BrainStateController.tick"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/consents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Your consents, oldest first, those that have ended included */
        readonly get: operations["ConsentsController.list"];
        readonly put?: never;
        /**
         * Lets one type of your personal data be stored
         * @description For one job (job_seed), one direct write (idempotency_key), or every write until its time is over. The same consent again is no second one. A value of high sensitivity also waits for the council.
         */
        readonly post: operations["ConsentsController.grant"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/consents/{consent_id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Takes a consent of yours back, for good
         * @description From then on what was stored under it is neither used nor returned, to nobody, and no later consent brings it back. Again is no error.
         */
        readonly post: operations["ConsentsController.revoke"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/docs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This description for people */
        readonly get: operations["DocsController.page"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/docs/{asset}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Style, script and icon of the page at /docs */
        readonly get: operations["DocsController.asset"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/docs/start.js": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What starts the page at /docs */
        readonly get: operations["DocsController.start"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dsr/{dsr_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How a data-subject request stands
         * @description For the person, whoever filed it, admins and the council. When it is erased, with what was removed.
         */
        readonly get: operations["DsrController.show"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dsr/{dsr_id}/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Allows a deletion
         * @description For an elevated admin or member of the council; takes `{}`. The deletion is carried out after this answer, takes at least 30 seconds and is final.
         */
        readonly post: operations["DsrController.approve"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dsr/{dsr_id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The package of a request to export
         * @description For the person only; recorded each time. The package is the same each time, unless something in it was revoked or erased since; `digest` is the SHA-256 of its canonical JSON.
         */
        readonly get: operations["DsrController.take"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dsr/holds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Places a legal hold on forensic evidence
         * @description No deletion removes evidence that a hold names. A second hold on the same evidence is the first one.
         */
        readonly post: operations["DsrController.hold"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dsr/request": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Asks for a person’s data, or for its deletion
         * @description The person proves who they are by a one-time code: `identity_proof: {otp}`; a wrong one is 401 and counts for the lock. An elevated admin files for another with `{document_ref, reason}`. An export is ready at once; a deletion waits for an admin or the council.
         */
        readonly post: operations["DsrController.file"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/events/failure": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reports a failure
         * @description A POLICY_VIOLATION, or a SECURITY_INCIDENT with a module, takes it offline at once and blocks its writes; details are evidence. SECURITY_INCIDENT and INTEGRITY_FAILURE are for an elevated admin and open a critical incident.
         */
        readonly post: operations["FailuresController.report"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/events/tail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Events of the log as they come, as server-sent events
         * @description From now on, or exactly after `Last-Event-ID`; the id of each event is its position with a mark of this log: what another log gave is refused. Auditor, admin and operator follow everything, redacted; an agent the negotiations that ask it. Who reads too slowly is ended by `event: dropped`; where the token ends or the server stops, by `event: closed`. A stream is not signed: it has no end that a signature could stand before.
         */
        readonly get: operations["TailController.follow"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/governance/events/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every event of a request, by its request_id, or of a policy, by its name
         * @description Oldest first. Of a policy with what is in force, as of now or after the event at `as_of`, on every page.
         */
        readonly get: operations["GovernanceController.events"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/governance/policy/propose": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Proposes a change of a policy to the council
         * @description A change under which nobody could decide or be answered any more is refused with the reason.
         */
        readonly post: operations["GovernanceController.propose"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/graphql": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The same capabilities by GraphQL
         * @description One operation in a document; each field asks for the permission of its own row. The schema stands in docs/schema.graphql. A document can be sent once with its SHA-256 in `extensions.persistedQuery` and from then on by that alone.
         */
        readonly post: operations["GraphqlController.ask"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the process runs */
        readonly get: operations["HealthController.live"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether requests can be served, and whether what is stored can be proven to others by now
         * @description 503 where the event store or the read store does not answer, nothing can be appended, a key may not sign now or the disk is full: `developer_message` says which and what to do, `meta.parts` the same part by part. What only makes answers slower or older is in `degraded`: projections that are behind or have halted, and the shared cache, of which `cache` says whether it answers where there is one.
         */
        readonly get: operations["HealthController.ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/history/diff": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What changed between two positions of the log, stream by stream
         * @description Streams in the order in which the range first touches them, with their states before and after. Personal fields are marks that differ where something was written; `as_of` on the things themselves shows what one may see. A stream that is not what was signed is listed as unreadable, with the reason.
         */
        readonly get: operations["HistoryController.diff"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/incidents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Incidents, newest first
         * @description Each with the event that is its cause and what that led to. `position` says what the list contains.
         */
        readonly get: operations["IncidentsController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/incidents/failed-writes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Writes that memory refused, by key, newest first
         * @description None of them is carried out later: who wants it writes again. `waiting` holds those that could not be recorded yet because the event store takes nothing.
         */
        readonly get: operations["IncidentsController.failedWrites"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/integrity/verifications": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Checks of the log, newest first */
        readonly get: operations["IntegrityController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/integrity/verifications/{verification_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far a check is, and what it found */
        readonly get: operations["IntegrityController.get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/integrity/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Checks every stream against what was signed, or joins the check that runs
         * @description Ends in an INTEGRITY_CHECK_SUMMARY in system-integrity. What is found is recorded once, quarantined, and alerted. Of one `stream` each event is held against its leaf in the signed Merkle tree; what was removed from its end shows in a walk of the whole log alone. `counts.leaves` is null where no checkpoint came in time.
         */
        readonly post: operations["IntegrityController.verify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Jobs, newest first: one’s own, everybody’s for those who operate and audit */
        readonly get: operations["JobsController.list"];
        readonly put?: never;
        /**
         * Asks a question as a job, and waits for its sealed answer
         * @description After 30 seconds, or at once with `Prefer: respond-async`, 202: the job goes on. A job without an answer is answered with its error; GET /jobs/{job_id} has it too. An admin may name another person by `user_id`: that is recorded first, and what the job then writes to memory asks for elevation, as PUT /sem does.
         */
        readonly post: operations["JobsController.ask"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/{job_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A job as it stands, with its error where it has no answer */
        readonly get: operations["JobsController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/{job_id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The events of a job, in order */
        readonly get: operations["JobsController.events"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/{job_id}/explain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Why a job was decided as it was; every part names its event
         * @description From the answer back to votes, agent, scores, snapshots and the revisions of memory that were read, as data and as a page of text. Operators, auditors and admins see it without what was said.
         */
        readonly get: operations["JobsController.explain"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/{job_id}/feedback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** What the owner of a job thinks of its answer */
        readonly post: operations["JobsController.feedback"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/{job_id}/log": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The ReflectiveLog of a job, with what was said of it later */
        readonly get: operations["JobsController.log"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/{job_id}/progress": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How far a job is, as server-sent events, until it has ended
         * @description Each stage that the job comes to, from its first or after `Last-Event-ID`, without anything that was said. It ends with the job; what was answered is read at GET /jobs/{job_id}.
         */
        readonly get: operations["JobProgressController.progress"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/jobs/unreplayable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Jobs that cannot be replayed, by what is missing, newest first
         * @description Those that said so at their end, and those of which a replay or a check found it later. `counts` has the jobs of each kind, whatever the filter, up to 10,000.
         */
        readonly get: operations["UnreplayableController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/local/otp/enrol": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Draws a new secret for a person’s one-time codes; through the socket in the data folder only
         * @description Refused in production, and where an issuer of tokens is named: second factors are then the issuer’s.
         */
        readonly post: operations["LocalAuthController.enrol"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/local/otp/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Takes a person’s one-time code; through the socket in the data folder only
         * @description Refused in production, and where an issuer of tokens is named: what an elevated token shows is then the issuer’s to say.
         */
        readonly post: operations["LocalAuthController.verify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/local/principals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Registers a person whose token is to be printed; through the socket in the data folder only
         * @description Refused in production, and where an issuer of tokens is named: people are then registered by their first request.
         */
        readonly post: operations["LocalAuthController.register"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/local/principals/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Voids every token that a person has; through the socket in the data folder only
         * @description A token issued later brings the person back.
         */
        readonly post: operations["LocalAuthController.remove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What the process counts and measures, for Prometheus
         * @description Text format 0.0.4. Labels are patterns of routes, types of events, names of projections, commands and agents; never paths, ids or anything of a person. Where MACE_METRICS_PORT is set, metrics are served on that port and not here.
         */
        readonly get: operations["MetricsController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/module/quarantine": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Asks the council to quarantine a module */
        readonly post: operations["ModuleController.quarantine"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/module/register": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Registers a module
         * @description One that may write to memory waits for the council: 202 with the request to vote on.
         */
        readonly post: operations["ModuleController.register"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/modules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Modules by node_id, as far as the read model is */
        readonly get: operations["ModulesController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/modules/{node_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One module, as of now or after the event at `as_of` */
        readonly get: operations["ModulesController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/modules/{node_id}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Takes an offline module back into service, degraded */
        readonly post: operations["ModulesController.restore"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/negotiations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Negotiations, newest first
         * @description One’s own proposals, or with `critic=me` what one is asked about; operator, auditor and admin see all. Of what one is asked about, `status` leaves out of a page what has another: it may be shorter than its limit.
         */
        readonly get: operations["NegotiationsController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/negotiations/{artifact_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A negotiation with its artifact, votes and decision
         * @description For its producer and the critics asked. Operator, auditor and admin see it without the artifact and without what critics said, unless an auditor or admin asks for it by `unredacted=true`, on record.
         */
        readonly get: operations["NegotiationsController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This description, as OpenAPI 3.1 */
        readonly get: operations["DocsController.openApi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pii/detect_and_handle": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Finds and redacts what is personal in a text
         * @description allowed: nothing of high or medium sensitivity is in it, or your consents cover all of it; consent_required: it is to be stored, and a consent is missing; redacted: anything else.
         */
        readonly post: operations["PiiController.handle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Every projection, with how far behind the log it is */
        readonly get: operations["ProjectionsController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/parked": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Events that a projection could not take, newest first
         * @description Also the one at which it has halted, and those about which something was decided. `done` says whether its documents are by now what was decided.
         */
        readonly get: operations["ParkingController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/parked/{position}/discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Gives up a parked event and what waits behind it by now
         * @description For good, for this projection: the events stay in the log. Later events of the partition are applied again.
         */
        readonly post: operations["ParkingController.discard"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/parked/{position}/park": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets aside the event at which a projection has halted, with what follows it
         * @description Every later event of the same partition, which is its stream where the projection says nothing else, waits with it, so that none is applied over it. The projection goes on with all others.
         */
        readonly post: operations["ParkingController.park"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/parked/{position}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Applies a parked event and what waits behind it, in their order
         * @description Where the projection has halted at it, lets it try again. An event that still cannot be taken is parked again. What takes longer than some seconds is answered with `done: false` and goes on.
         */
        readonly post: operations["ParkingController.replay"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/parked/{position}/skip": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Passes over one event, which is named by its id too
         * @description For good, for this projection; what waits behind it is applied. The event may be parked, or the one at which the projection has halted.
         */
        readonly post: operations["ParkingController.skip"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rebuild": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes a read model anew beside the live one, which goes on answering
         * @description Without effects, and strict: an event that it cannot take ends it. It ends in state `ready` with the digests of both at one position; swapping is a command of its own. One at a time for each projection. After a kill it goes on where it was.
         */
        readonly post: operations["RebuildsController.begin"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rebuilds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Rebuilds of a projection, newest first; the last 50 */
        readonly get: operations["RebuildsController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rebuilds/{rebuild_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far a rebuild is, and what came of it */
        readonly get: operations["RebuildsController.get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rebuilds/{rebuild_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Ends a rebuild that runs or is ready; what it made is dropped */
        readonly post: operations["RebuildsController.cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rebuilds/{rebuild_id}/rollback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Answers queries again from the generation before the last swap
         * @description Brought up first to where the other one was. It can be swapped again while it is kept.
         */
        readonly post: operations["RebuildsController.rollBack"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rebuilds/{rebuild_id}/swap": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Answers queries from what was rebuilt
         * @description In one step, once it holds everything that the live one held; nobody reads back in time. The one before is kept for a rollback until the next swap. What takes longer than some seconds is answered as `swapping` and goes on.
         */
        readonly post: operations["RebuildsController.swap"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/rerun": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Runs a projection again into a scratch place and compares; the live one is not touched
         * @description What lies before `from` is projected first, so that the range meets the state that it met. Compared are the digests of all documents, where the rerun ends where the live projection stands; where they differ, the first documents that do are named.
         */
        readonly post: operations["ProjectionsController.rerun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/projections/{name}/reruns/{rerun_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far a rerun is, and what it found */
        readonly get: operations["ProjectionsController.progress"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reflective-logs/{log_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A ReflectiveLog, with what was said of it later */
        readonly get: operations["ReflectiveLogsController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Always refused: a log is corrected by an amendment beside it */
        readonly patch: operations["ReflectiveLogsController.patch"];
        readonly trace?: never;
    };
    readonly "/reflective-logs/{log_id}/amendments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The amendments beside a log, oldest first */
        readonly get: operations["ReflectiveLogsController.amendments"];
        readonly put?: never;
        /**
         * Adds an amendment beside a log
         * @description Personal data in it is replaced by its type before anything is recorded.
         */
        readonly post: operations["ReflectiveLogsController.amend"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reflective-logs/{log_id}/audit_tags": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Adds an admin’s tag beside a log */
        readonly post: operations["ReflectiveLogsController.tag"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reflective-logs/{log_id}/ground_truth": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Says whether the job’s answer was right, once a person
         * @description The label stands beside the log, and the trust in the module that gave the answer follows it as a GROUND_TRUTH_LABEL. POST /apt/event is for what is said of a module without a job.
         */
        readonly post: operations["ReflectiveLogsController.label"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reflective-logs/{log_id}/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Checks a log against what was signed; one that fails is quarantined
         * @description A log in quarantine that holds again is released where an admin with a second factor asks.
         */
        readonly post: operations["ReflectiveLogsController.verify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Replays, newest first */
        readonly get: operations["ReplayController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/{replay_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A replay and its verdict */
        readonly get: operations["ReplayController.read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/{replay_id}/force_continue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Goes on past the difference at which a replay stopped
         * @description Takes the council’s approval of exactly this difference: the first call asks for it and is refused with `meta.action_request_id`. What comes of it is never authoritative.
         */
        readonly post: operations["ReplayController.forceContinue"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/halts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Halted snapshots, newest first
         * @description Each with the event that is its cause and how many sealed jobs pin it, counted up to 10,000. `status=cleared` lists those that were halted. `position` says what the list contains.
         */
        readonly get: operations["HaltsController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/halts/{snapshot_id}/clear": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Verifies a halted snapshot and asks the council to clear it
         * @description Signature, chain and id formula are checked from what is stored, and again when the council has agreed. One request a halt, however many admins ask; where the council refused, another may be made.
         */
        readonly post: operations["HaltsController.clear"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/request": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replays a job and compares it with its record
         * @description The proof is written beside the job; the job itself is never touched. A replay that ran answers 200 with its verdict, a difference included; one that was refused answers 409 with `meta.replay_id`. What a person said is redacted in a difference, unless `unredacted=true` asks for it, on record. Mocks that hold personal data are refused; a replay on others is on record as a look at the job, since its verdict confirms or refutes what somebody guesses.
         */
        readonly post: operations["ReplayController.request"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/sweeps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Sweeps, newest first */
        readonly get: operations["SweepsController.list"];
        readonly put?: never;
        /**
         * Replays every job in audit mode, or joins the sweep that does so
         * @description Each job comes to the verdict that a replay of it alone comes to. A REPLAY_SWEEP_REQUEST is recorded at the start and a REPLAY_SWEEP_SUMMARY at the end; only a job that is no match has a replay of its own recorded, with all that follows from it. One sweep runs at a time; CONFLICT names the one that does.
         */
        readonly post: operations["SweepsController.begin"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/sweeps/{sweep_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far a sweep is, and what it found */
        readonly get: operations["SweepsController.get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replay/sweeps/{sweep_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Stops a sweep where it is
         * @description How far it came is recorded; another goes on from its `position`. A sweep that has ended stays as it is.
         */
        readonly post: operations["SweepsController.cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/router/decide": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Which agent a job of yours would ask, and why
         * @description By the snapshots in force, which the trace names beside every candidate’s score; each decision is recorded. For oneself: another’s user_id is refused.
         */
        readonly post: operations["RouterController.decide"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/router/route": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Which agent the nine rules of stage 0 give a query
         * @description By the router policy in force; each decision is recorded.
         */
        readonly post: operations["RouterController.route"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sem": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The keys that begin with a prefix, in key order */
        readonly get: operations["SemKeysController.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sem/{scope}/{entity_type}/{entity_id}/{attribute}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What stands under exactly this key
         * @description As of now, or after the event at `as_of`. A miss is 400 SEM_NOT_FOUND.
         */
        readonly get: operations["SemController.get"];
        /**
         * Stores a value under a key
         * @description The later timestamp wins; an older one is recorded and answered applied: false. Personal data needs a consent of its owner (POST /consents); of high sensitivity it then waits for the council, which 202 says.
         */
        readonly put: operations["SemController.put"];
        readonly post?: never;
        /**
         * Deletes what stands under a key
         * @description For an elevated admin. Older puts that come later stay without effect.
         */
        readonly delete: operations["SemController.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sem/{scope}/{entity_type}/{entity_id}/{attribute}/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Every write of a key, oldest first */
        readonly get: operations["SemController.history"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sem/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The canonical key of raw names
         * @description Two different raw identities never share a key: the second one gets a suffix, always the same one.
         */
        readonly post: operations["SemKeysController.register"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sem/resolve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The key that a phrase means to you, or null */
        readonly get: operations["SemKeysController.resolve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/superadmin/override": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * One of the two signatures of an emergency: a superadmin’s and another admin’s
         * @description With the second the action is carried out; the council reviews it afterwards.
         */
        readonly post: operations["GovernanceController.override"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly AckIncidentDto: {
            readonly incident_id: string;
            readonly note: string;
        };
        readonly AGENT_ERROR: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "AGENT_ERROR";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 500;
            /** @constant */
            readonly user_message: "A module failed while processing your request. I can try a partial result or you can try again.";
        };
        readonly AGENT_TIMEOUT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "AGENT_TIMEOUT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 504;
            /** @constant */
            readonly user_message: "One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.";
        };
        readonly AmendmentDto: {
            readonly changes: Record<string, unknown>;
            /** @enum {string} */
            readonly effect: "note" | "override_suggestion" | "revalidate";
        };
        readonly ApproveDto: {
            readonly proposal_digest: string;
            readonly reason?: string;
        };
        readonly AptEventDto: {
            /** @enum {string} */
            readonly event_type: "COUNCIL_APPROVAL" | "GROUND_TRUTH_LABEL" | "AGENT_TIMEOUT" | "AGENT_EXCEPTION" | "MANUAL_OVERRIDE" | "AGENT_SUCCESS" | "OPERATIONAL_NOTE" | "USER_FEEDBACK";
            readonly node_id: string;
            readonly payload?: Record<string, unknown>;
        };
        readonly AskDto: {
            readonly context_tags?: Record<string, unknown>;
            readonly job_seed?: string;
            readonly persist_agent_outputs?: boolean;
            readonly priority?: number;
            readonly query_text: string;
            readonly user_id?: string;
        };
        readonly AttentionDto: {
            readonly attention_gain?: number;
            readonly explore_bias?: number;
            readonly reward_signal?: number;
        };
        readonly AuditEventsQuery: {
            readonly cursor?: string;
            /** @enum {string} */
            readonly form?: "stored";
            readonly from?: number;
            readonly limit?: number;
            readonly stream?: string;
            readonly type?: string;
            readonly unredacted?: boolean;
        };
        readonly AuditStreamQuery: {
            readonly cursor?: string;
            /** @enum {string} */
            readonly form?: "stored";
            readonly limit?: number;
            readonly unredacted?: boolean;
        };
        readonly AuditTagDto: {
            readonly note?: string;
            readonly tag: string;
        };
        readonly BecauseDto: {
            readonly reason?: string;
        };
        readonly CACHE_ERROR: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "CACHE_ERROR";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 500;
            /** @constant */
            readonly user_message: "My cache is out of reach right now; I’m working without it.";
        };
        readonly CancelSweepDto: Record<string, unknown>;
        readonly ClearHaltDto: {
            readonly justification?: string;
        };
        readonly CONFLICT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "CONFLICT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "Something else changed this first. Please look at it again before you retry.";
        };
        readonly ConsistencyQuery: {
            readonly from: number;
            readonly to?: number;
        };
        readonly COUNCIL_DEADLOCK: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "COUNCIL_DEADLOCK";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?";
        };
        readonly CreateRequestDto: {
            readonly evidence?: readonly string[];
            readonly justification: string;
            readonly kind: string;
            readonly payload: Record<string, unknown>;
        };
        readonly CreateSnapshotDto: {
            readonly attention?: components["schemas"]["AttentionDto"];
            readonly goals?: readonly components["schemas"]["GoalDto"][];
            readonly job_seed: string;
            readonly resource_budget?: components["schemas"]["ResourceBudgetDto"];
        };
        readonly DATA_UNAVAILABLE: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "DATA_UNAVAILABLE";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 503;
            /** @constant */
            readonly user_message: "I can’t reach my stored data right now. Try again later.";
        };
        readonly DependencyDto: {
            readonly required: boolean;
            readonly to: string;
        };
        readonly DiffQuery: {
            readonly cursor?: string;
            readonly from?: string;
            /** @enum {string} */
            readonly kind?: "memory" | "module" | "policy" | "request" | "brainstate" | "access" | "amendment" | "consent" | "dsr" | "forensic" | "identity" | "incident" | "job" | "negotiation" | "principal" | "replay" | "snapshot" | "system";
            readonly limit?: number;
            readonly to?: string;
        };
        readonly ErrorEnvelope: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @enum {string} */
            readonly error_code: "SEM_NOT_FOUND" | "SEM_WRITE_FAIL" | "ROUTER_NO_MATCH" | "AGENT_TIMEOUT" | "AGENT_ERROR" | "LLM_SERVICE_DOWN" | "COUNCIL_DEADLOCK" | "LOW_CONFIDENCE" | "REPAIR_LIMIT_EXCEEDED" | "INVALID_INPUT" | "PRIVACY_BLOCKED" | "CACHE_ERROR" | "LOG_INVALID" | "STORAGE_FULL" | "PERMISSION_DENIED" | "INTEGRITY_FAILURE" | "ROUTER_NO_SNAPSHOT" | "DATA_UNAVAILABLE" | "IDEMPOTENCY_KEY_REUSED" | "UNAUTHENTICATED" | "NOT_FOUND" | "CONFLICT" | "JOB_SEED_CONFLICT" | "IMMUTABLE_FIELD" | "RATE_LIMITED" | "PRECONDITION_FAILED" | "MISSING_SNAPSHOT" | "MISSING_PERSISTED_AGENT_OUTPUT" | "RESULT_MISMATCH" | "REPLAY_DIVERGENCE" | "FORCE_CONTINUE_REQUIRED" | "REPLAY_TIMEOUT" | "WAIT_TIMEOUT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @enum {string} */
            readonly severity: "info" | "warning" | "error" | "critical";
            readonly status: number;
            /** @description What a person is shown. */
            readonly user_message: string;
        };
        readonly FailedWritesQuery: {
            readonly cursor?: string;
            readonly key?: string;
            readonly limit?: number;
        };
        readonly FailureDto: {
            readonly details?: Record<string, unknown>;
            /** @enum {string} */
            readonly event_type: "AGENT_TIMEOUT" | "AGENT_EXCEPTION" | "POLICY_VIOLATION" | "SECURITY_INCIDENT" | "INTEGRITY_FAILURE";
            readonly job_id?: string;
            readonly node_id?: string;
        };
        readonly FeedbackDto: {
            readonly comment?: string;
            readonly upvote: boolean;
        };
        readonly FileDsrDto: {
            readonly identity_proof: Record<string, unknown>;
            /** @enum {string} */
            readonly kind: "export" | "delete";
            readonly user_id: string;
        };
        readonly FORCE_CONTINUE_REQUIRED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "FORCE_CONTINUE_REQUIRED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "This rerun has stopped at a difference; going on needs an admin’s and the council’s approval.";
        };
        readonly ForceContinueDto: Record<string, unknown>;
        readonly GetModuleQuery: {
            readonly as_of?: string;
        };
        readonly GetValueQuery: {
            readonly as_of?: string;
        };
        readonly GoalDto: {
            readonly deadline_ts?: string;
            readonly goal_id?: string;
            readonly metadata?: Record<string, unknown>;
            /** @enum {string} */
            readonly origin?: "user" | "system" | "agent";
            readonly priority?: number;
            /** @enum {string} */
            readonly type: "answer" | "clarify" | "save" | "verify" | "plan";
        };
        readonly GovernanceEventsQuery: {
            readonly as_of?: string;
            readonly cursor?: string;
            readonly limit?: number;
            readonly unredacted?: boolean;
        };
        readonly GrantConsentDto: {
            readonly consent_text: string;
            readonly idempotency_key?: string;
            readonly job_seed?: string;
            /** @enum {string} */
            readonly pii_type: "us_ssn" | "us_itin" | "uk_nino" | "uk_nhs" | "ca_sin" | "in_aadhaar" | "es_nif" | "es_nie" | "it_fiscal_code" | "de_tax_id" | "pl_pesel" | "au_tfn" | "passport" | "payment_card" | "iban" | "bank_account" | "medical_diagnosis" | "medical_record" | "biometric" | "phone" | "postal_address" | "email" | "ip_address" | "mac_address" | "crypto_wallet" | "first_name" | "interest";
            /** @enum {string} */
            readonly scope: "job" | "persistent";
            readonly ttl_seconds?: number;
        };
        readonly GraphqlDto: {
            readonly extensions?: Record<string, unknown>;
            readonly operationName?: string;
            readonly query?: string;
            readonly variables?: Record<string, unknown>;
        };
        readonly GroundTruthDto: {
            readonly correct: boolean;
            readonly note?: string;
        };
        readonly HandleTextDto: {
            readonly job_seed?: string;
            readonly persist?: boolean;
            readonly text: string;
        };
        readonly IDEMPOTENCY_KEY_REUSED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "IDEMPOTENCY_KEY_REUSED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 422;
            /** @constant */
            readonly user_message: "I’ve already seen that request key with a different request. Use a new key for a new request.";
        };
        readonly IMMUTABLE_FIELD: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "IMMUTABLE_FIELD";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "That record can’t be changed once it’s written. Please add an amendment instead.";
        };
        readonly InsertDto: {
            readonly brainstate_snapshot_id: string;
            readonly ttl_ticks?: number;
            /** @enum {string} */
            readonly type: "fact" | "context" | "user_hint";
            readonly value: unknown;
        };
        readonly INTEGRITY_FAILURE: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "INTEGRITY_FAILURE";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "critical";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "I’m temporarily unable to trust my past data; ops team will check.";
        };
        readonly INVALID_INPUT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "INVALID_INPUT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 400;
            /** @constant */
            readonly user_message: "Your request looks malformed or too large. Please shorten it or fix the format.";
        };
        readonly JOB_SEED_CONFLICT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "JOB_SEED_CONFLICT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "That job seed already belongs to a different request. Please pick a new one.";
        };
        readonly Justified: {
            readonly evidence?: readonly string[];
            readonly justification: string;
        };
        readonly ListHaltsQuery: {
            readonly cursor?: string;
            readonly limit?: number;
            /** @enum {string} */
            readonly status?: "halted" | "cleared";
        };
        readonly ListIncidentsQuery: {
            readonly cursor?: string;
            readonly limit?: number;
            /** @enum {string} */
            readonly severity?: "warning" | "error" | "critical";
            /** @enum {string} */
            readonly status?: "open" | "acknowledged";
        };
        readonly ListKeysQuery: {
            readonly cursor?: string;
            readonly limit?: number;
            readonly prefix?: string;
        };
        readonly ListModulesQuery: {
            readonly cursor?: string;
            readonly limit?: number;
            /** @enum {string} */
            readonly status?: "healthy" | "degraded" | "offline" | "quarantined";
            /** @enum {string} */
            readonly type?: "agent" | "tool" | "service" | "router" | "adapter" | "memory";
        };
        readonly ListNegotiationsQuery: {
            /** @enum {string} */
            readonly critic?: "me";
            readonly cursor?: string;
            readonly limit?: number;
            /** @enum {string} */
            readonly status?: "open" | "decided";
        };
        readonly ListReplaysQuery: {
            readonly cursor?: string;
            readonly job_id?: string;
            readonly limit?: number;
            /** @enum {string} */
            readonly verdict?: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH";
        };
        readonly ListRequestsQuery: {
            readonly cursor?: string;
            readonly kind?: string;
            readonly limit?: number;
            /** @enum {string} */
            readonly status?: "pending" | "approved" | "rejected" | "expired" | "executed";
        };
        readonly ListUnreplayableQuery: {
            readonly cursor?: string;
            readonly limit?: number;
            readonly missing?: string;
        };
        readonly LLM_SERVICE_DOWN: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "LLM_SERVICE_DOWN";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "critical";
            /** @constant */
            readonly status: 503;
            /** @constant */
            readonly user_message: "I can’t reach my language engine right now. Try again later.";
        };
        readonly LOG_INVALID: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "LOG_INVALID";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 400;
            /** @constant */
            readonly user_message: "There was an internal integrity issue; request flagged for review.";
        };
        readonly LOW_CONFIDENCE: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "LOW_CONFIDENCE";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 200;
            /** @constant */
            readonly user_message: "I’m not confident about this answer. Would you like me to double-check or get a human to review?";
        };
        readonly MISSING_PERSISTED_AGENT_OUTPUT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "MISSING_PERSISTED_AGENT_OUTPUT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "I can’t rerun this because an answer it relied on was not kept.";
        };
        readonly MISSING_SNAPSHOT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "MISSING_SNAPSHOT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "I can’t rerun this because a snapshot it used is missing.";
        };
        readonly MockDto: {
            /** @enum {string} */
            readonly agent_id: "creative_agent" | "strategy_agent" | "generic_agent";
            readonly reply: string;
        };
        readonly NOT_FOUND: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "NOT_FOUND";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 404;
            /** @constant */
            readonly user_message: "I don’t have anything at that address.";
        };
        readonly OneTimeCodeDto: {
            readonly otp: string;
            readonly user_id: string;
        };
        readonly OverrideDto: {
            readonly justification?: string;
            readonly kind?: string;
            readonly payload?: Record<string, unknown>;
            readonly proposal_digest?: string;
            readonly reason?: string;
            readonly request_id?: string;
        };
        readonly PageQuery: {
            readonly cursor?: string;
            readonly limit?: number;
        };
        readonly PERMISSION_DENIED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "PERMISSION_DENIED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 403;
            /** @constant */
            readonly user_message: "You don’t have permission to do that.";
        };
        readonly PlaceHoldDto: {
            readonly evidence_ref: string;
            readonly reason: string;
        };
        readonly PolicyDto: {
            readonly allowed_actions: readonly string[];
            readonly forbidden_actions: readonly string[];
        };
        readonly PRECONDITION_FAILED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "PRECONDITION_FAILED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 412;
            /** @constant */
            readonly user_message: "This has changed since you last read it. Please read it again first.";
        };
        readonly PRIVACY_BLOCKED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "PRIVACY_BLOCKED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 403;
            /** @constant */
            readonly user_message: "I can’t store or repeat that kind of sensitive personal information.";
        };
        readonly ProposePolicyDto: {
            readonly change: Record<string, unknown>;
            readonly evidence?: readonly string[];
            readonly justification: string;
            readonly policy: string;
        };
        readonly PutValueDto: {
            readonly meta?: Record<string, unknown>;
            readonly notes?: string;
            readonly source?: string;
            readonly timestamp?: string;
            readonly value: unknown;
        };
        readonly QuarantineDto: {
            readonly node_id: string;
            readonly reason: string;
        };
        readonly QueryBrainStateDto: {
            readonly brainstate_snapshot_id: string;
        };
        readonly RATE_LIMITED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "RATE_LIMITED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 429;
            /** @constant */
            readonly user_message: "You’re asking faster than I can answer. Please wait a moment.";
        };
        readonly ReadBrainStateQuery: {
            readonly as_of?: string;
            readonly unredacted?: boolean;
        };
        readonly RecomputeDto: {
            readonly node_id: string;
        };
        readonly RegisterKeyDto: {
            readonly attribute_raw: string;
            readonly entity_id_raw?: string;
            readonly entity_type: string;
            readonly scope: string;
            readonly user_id?: string;
        };
        readonly RegisterModuleDto: {
            readonly agent_id?: string;
            readonly capabilities?: readonly string[];
            readonly dependencies?: readonly components["schemas"]["DependencyDto"][];
            readonly display_name: string;
            readonly node_id: string;
            readonly policy?: components["schemas"]["PolicyDto"];
            /** @enum {string} */
            readonly type: "agent" | "tool" | "service" | "router" | "adapter" | "memory";
            readonly version: string;
        };
        readonly REPAIR_LIMIT_EXCEEDED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "REPAIR_LIMIT_EXCEEDED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 503;
            /** @constant */
            readonly user_message: "I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?";
        };
        readonly REPLAY_DIVERGENCE: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "REPLAY_DIVERGENCE";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "The rerun took a different path from the one on record.";
        };
        readonly REPLAY_TIMEOUT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "REPLAY_TIMEOUT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "The rerun took longer than allowed and was stopped.";
        };
        readonly ReplayDto: {
            readonly approval_id?: string;
            readonly job_id: string;
            readonly mocks?: readonly components["schemas"]["MockDto"][];
            /** @enum {string} */
            readonly mode?: "audit" | "reexecute" | "production";
        };
        readonly RerunDto: {
            readonly from?: string;
            readonly to?: string;
        };
        readonly ResolveQuery: {
            readonly text: string;
        };
        readonly ResourceBudgetDto: {
            readonly max_depth_allowed?: number;
            readonly token_budget?: number;
        };
        readonly RestoreDto: {
            readonly reason?: string;
        };
        readonly RESULT_MISMATCH: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "RESULT_MISMATCH";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "The rerun gave a different answer from the one on record.";
        };
        readonly RevokeConsentDto: Record<string, unknown>;
        readonly RevokeDto: {
            readonly jti?: string;
            readonly token?: string;
        };
        readonly RouteDto: {
            readonly context_tags?: Record<string, unknown>;
            readonly query_text: string;
            readonly user_id?: string;
        };
        readonly ROUTER_NO_MATCH: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "ROUTER_NO_MATCH";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 400;
            /** @constant */
            readonly user_message: "I don’t have a module for that type of request yet.";
        };
        readonly ROUTER_NO_SNAPSHOT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "ROUTER_NO_SNAPSHOT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 503;
            /** @constant */
            readonly user_message: "I can’t choose a module right now because my routing rules are out of reach. Try again later.";
        };
        readonly SEM_NOT_FOUND: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "SEM_NOT_FOUND";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "info";
            /** @constant */
            readonly status: 400;
            /** @constant */
            readonly user_message: "I don’t have that information stored yet. If you want, tell me and I’ll remember it.";
        };
        readonly SEM_WRITE_FAIL: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "SEM_WRITE_FAIL";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 500;
            /** @constant */
            readonly user_message: "I tried to save that but my memory failed. I might not remember this next time.";
        };
        readonly SkipDto: {
            readonly event_id: string;
            readonly reason?: string;
        };
        readonly StepUpDto: {
            readonly otp: string;
        };
        readonly STORAGE_FULL: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "STORAGE_FULL";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "critical";
            /** @constant */
            readonly status: 507;
            /** @constant */
            readonly user_message: "My memory is full right now; I can’t store new information.";
        };
        readonly SweepDto: {
            readonly from?: string;
            /** @enum {string} */
            readonly mode?: "audit";
            readonly threads?: number;
            readonly to?: string;
        };
        readonly TailQuery: {
            readonly follow?: boolean;
            readonly last_event_id?: string;
            readonly stream?: string;
            readonly types?: string;
        };
        readonly TickDto: {
            readonly brainstate_snapshot_id: string;
            readonly event_ids: readonly string[];
        };
        readonly UNAUTHENTICATED: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "UNAUTHENTICATED";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "warning";
            /** @constant */
            readonly status: 401;
            /** @constant */
            readonly user_message: "I can’t tell who you are yet. Please sign in and try again.";
        };
        readonly UnredactedPageQuery: {
            readonly cursor?: string;
            readonly limit?: number;
            readonly unredacted?: boolean;
        };
        readonly UnredactedQuery: {
            readonly unredacted?: boolean;
        };
        readonly UserDto: {
            readonly user_id: string;
        };
        readonly VerifyIntegrityDto: {
            readonly max_rate?: number;
            readonly resume?: boolean;
            readonly stream?: string;
            readonly workers?: number;
        };
        readonly VoteDto: {
            readonly proposal_digest: string;
            readonly reason?: string;
            /** @enum {string} */
            readonly vote: "approve" | "reject" | "abstain";
        };
        readonly WAIT_TIMEOUT: {
            /** @description What was wrong, and the allowed form. */
            readonly developer_message: string;
            /** @constant */
            readonly error_code: "WAIT_TIMEOUT";
            /** @description Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`. */
            readonly meta: {
                readonly query_id: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly trace_id: string;
            };
            /** @constant */
            readonly severity: "error";
            /** @constant */
            readonly status: 409;
            /** @constant */
            readonly user_message: "What you’re waiting for hasn’t happened yet. Please ask again.";
        };
    };
    responses: {
        /** @description INVALID_INPUT */
        readonly "400.INVALID_INPUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INVALID_INPUT"];
            };
        };
        /** @description INVALID_INPUT, LOG_INVALID */
        readonly "400.INVALID_INPUT-LOG_INVALID": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INVALID_INPUT"] | components["schemas"]["LOG_INVALID"];
            };
        };
        /** @description INVALID_INPUT, ROUTER_NO_MATCH */
        readonly "400.INVALID_INPUT-ROUTER_NO_MATCH": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INVALID_INPUT"] | components["schemas"]["ROUTER_NO_MATCH"];
            };
        };
        /** @description INVALID_INPUT, ROUTER_NO_MATCH, SEM_NOT_FOUND */
        readonly "400.INVALID_INPUT-ROUTER_NO_MATCH-SEM_NOT_FOUND": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INVALID_INPUT"] | components["schemas"]["ROUTER_NO_MATCH"] | components["schemas"]["SEM_NOT_FOUND"];
            };
        };
        /** @description INVALID_INPUT, SEM_NOT_FOUND */
        readonly "400.INVALID_INPUT-SEM_NOT_FOUND": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INVALID_INPUT"] | components["schemas"]["SEM_NOT_FOUND"];
            };
        };
        /** @description UNAUTHENTICATED */
        readonly "401.UNAUTHENTICATED": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UNAUTHENTICATED"];
            };
        };
        /** @description PERMISSION_DENIED, PRIVACY_BLOCKED */
        readonly "403.PERMISSION_DENIED-PRIVACY_BLOCKED": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["PERMISSION_DENIED"] | components["schemas"]["PRIVACY_BLOCKED"];
            };
        };
        /** @description PRIVACY_BLOCKED */
        readonly "403.PRIVACY_BLOCKED": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["PRIVACY_BLOCKED"];
            };
        };
        /** @description NOT_FOUND */
        readonly "404.NOT_FOUND": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["NOT_FOUND"];
            };
        };
        /** @description CONFLICT, COUNCIL_DEADLOCK, INTEGRITY_FAILURE, JOB_SEED_CONFLICT, MISSING_SNAPSHOT */
        readonly "409.CONFLICT-COUNCIL_DEADLOCK-INTEGRITY_FAILURE-JOB_SEED_CONFLICT-MISSING_SNAPSHOT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["COUNCIL_DEADLOCK"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["JOB_SEED_CONFLICT"] | components["schemas"]["MISSING_SNAPSHOT"];
            };
        };
        /** @description CONFLICT, FORCE_CONTINUE_REQUIRED, INTEGRITY_FAILURE, MISSING_PERSISTED_AGENT_OUTPUT, MISSING_SNAPSHOT, REPLAY_TIMEOUT */
        readonly "409.CONFLICT-FORCE_CONTINUE_REQUIRED-INTEGRITY_FAILURE-MISSING_PERSISTED_AGENT_OUTPUT-MISSING_SNAPSHOT-REPLAY_TIMEOUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["FORCE_CONTINUE_REQUIRED"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["MISSING_PERSISTED_AGENT_OUTPUT"] | components["schemas"]["MISSING_SNAPSHOT"] | components["schemas"]["REPLAY_TIMEOUT"];
            };
        };
        /** @description CONFLICT, IMMUTABLE_FIELD, INTEGRITY_FAILURE */
        readonly "409.CONFLICT-IMMUTABLE_FIELD-INTEGRITY_FAILURE": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["IMMUTABLE_FIELD"] | components["schemas"]["INTEGRITY_FAILURE"];
            };
        };
        /** @description CONFLICT, IMMUTABLE_FIELD, INTEGRITY_FAILURE, WAIT_TIMEOUT */
        readonly "409.CONFLICT-IMMUTABLE_FIELD-INTEGRITY_FAILURE-WAIT_TIMEOUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["IMMUTABLE_FIELD"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["WAIT_TIMEOUT"];
            };
        };
        /** @description CONFLICT, INTEGRITY_FAILURE */
        readonly "409.CONFLICT-INTEGRITY_FAILURE": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["INTEGRITY_FAILURE"];
            };
        };
        /** @description CONFLICT, INTEGRITY_FAILURE, JOB_SEED_CONFLICT */
        readonly "409.CONFLICT-INTEGRITY_FAILURE-JOB_SEED_CONFLICT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["JOB_SEED_CONFLICT"];
            };
        };
        /** @description CONFLICT, INTEGRITY_FAILURE, MISSING_PERSISTED_AGENT_OUTPUT, MISSING_SNAPSHOT, REPLAY_TIMEOUT */
        readonly "409.CONFLICT-INTEGRITY_FAILURE-MISSING_PERSISTED_AGENT_OUTPUT-MISSING_SNAPSHOT-REPLAY_TIMEOUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["MISSING_PERSISTED_AGENT_OUTPUT"] | components["schemas"]["MISSING_SNAPSHOT"] | components["schemas"]["REPLAY_TIMEOUT"];
            };
        };
        /** @description CONFLICT, INTEGRITY_FAILURE, MISSING_SNAPSHOT */
        readonly "409.CONFLICT-INTEGRITY_FAILURE-MISSING_SNAPSHOT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["MISSING_SNAPSHOT"];
            };
        };
        /** @description CONFLICT, INTEGRITY_FAILURE, WAIT_TIMEOUT */
        readonly "409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["CONFLICT"] | components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["WAIT_TIMEOUT"];
            };
        };
        /** @description INTEGRITY_FAILURE */
        readonly "409.INTEGRITY_FAILURE": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INTEGRITY_FAILURE"];
            };
        };
        /** @description INTEGRITY_FAILURE, WAIT_TIMEOUT */
        readonly "409.INTEGRITY_FAILURE-WAIT_TIMEOUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["INTEGRITY_FAILURE"] | components["schemas"]["WAIT_TIMEOUT"];
            };
        };
        /** @description PRECONDITION_FAILED */
        readonly "412.PRECONDITION_FAILED": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["PRECONDITION_FAILED"];
            };
        };
        /** @description IDEMPOTENCY_KEY_REUSED */
        readonly "422.IDEMPOTENCY_KEY_REUSED": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["IDEMPOTENCY_KEY_REUSED"];
            };
        };
        /** @description RATE_LIMITED */
        readonly "429.RATE_LIMITED": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["RATE_LIMITED"];
            };
        };
        /** @description AGENT_ERROR */
        readonly "500.AGENT_ERROR": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AGENT_ERROR"];
            };
        };
        /** @description AGENT_ERROR, SEM_WRITE_FAIL */
        readonly "500.AGENT_ERROR-SEM_WRITE_FAIL": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AGENT_ERROR"] | components["schemas"]["SEM_WRITE_FAIL"];
            };
        };
        /** @description DATA_UNAVAILABLE */
        readonly "503.DATA_UNAVAILABLE": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["DATA_UNAVAILABLE"];
            };
        };
        /** @description DATA_UNAVAILABLE, LLM_SERVICE_DOWN, REPAIR_LIMIT_EXCEEDED, ROUTER_NO_SNAPSHOT */
        readonly "503.DATA_UNAVAILABLE-LLM_SERVICE_DOWN-REPAIR_LIMIT_EXCEEDED-ROUTER_NO_SNAPSHOT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["DATA_UNAVAILABLE"] | components["schemas"]["LLM_SERVICE_DOWN"] | components["schemas"]["REPAIR_LIMIT_EXCEEDED"] | components["schemas"]["ROUTER_NO_SNAPSHOT"];
            };
        };
        /** @description DATA_UNAVAILABLE, ROUTER_NO_SNAPSHOT */
        readonly "503.DATA_UNAVAILABLE-ROUTER_NO_SNAPSHOT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["DATA_UNAVAILABLE"] | components["schemas"]["ROUTER_NO_SNAPSHOT"];
            };
        };
        /** @description AGENT_TIMEOUT */
        readonly "504.AGENT_TIMEOUT": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AGENT_TIMEOUT"];
            };
        };
        /** @description STORAGE_FULL */
        readonly "507.STORAGE_FULL": {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["STORAGE_FULL"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly "WellKnownController.jwks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly keys: readonly {
                            readonly alg: string;
                            readonly crv: string;
                            readonly exp?: number;
                            readonly kid: string;
                            readonly kty: string;
                            readonly nbf: number;
                            readonly use: string;
                            readonly x: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
        };
    };
    readonly "LogKeysController.keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
        };
    };
    readonly "ActionRequestsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly kind?: string;
                readonly limit?: number;
                readonly status?: "pending" | "approved" | "rejected" | "expired" | "executed";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            /** @description Null once nothing is open. */
                            readonly closes_at: string | null;
                            readonly council_quorum: number;
                            readonly created_at: string;
                            readonly due_at: string;
                            /** @description Why an approved request could not be executed. */
                            readonly execution?: Record<string, unknown>;
                            readonly kind: string;
                            readonly origin: string;
                            /** @description Of what the Negotiation Room brings before people. */
                            readonly payload?: Record<string, unknown>;
                            readonly position: number;
                            readonly proposal_digest: string;
                            readonly request_id: string;
                            readonly requested_by: string;
                            readonly required_approval_type: string;
                            /** @description What the review of an emergency came to. */
                            readonly review?: string | null;
                            /** @description Of an emergency whose review has begun. */
                            readonly review_tally?: Record<string, unknown>;
                            readonly risk_class: string;
                            readonly status: string;
                            readonly tally: {
                                readonly abstain: number;
                                readonly approve: number;
                                readonly reject: number;
                            };
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ActionRequestsController.read": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly council_quorum: number;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly emergency: Record<string, unknown> | null;
                        readonly event_id: string;
                        readonly evidence: unknown;
                        readonly execution: Record<string, unknown> | null;
                        readonly justification: unknown;
                        readonly kind: string;
                        readonly origin: string;
                        readonly payload: Record<string, unknown>;
                        readonly proposal: Record<string, unknown> | null;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly requested_by: string;
                        readonly required_approval_type: string;
                        readonly risk_class: string;
                        readonly status: string;
                        readonly tally: {
                            readonly abstain: number;
                            readonly approve: number;
                            readonly reject: number;
                        };
                        readonly timestamp_seeded: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly event_id: string;
                            readonly phase: string;
                            readonly reason: unknown;
                            /** @enum {string} */
                            readonly vote: "approve" | "reject" | "abstain";
                            readonly voted_at: string;
                            readonly voter: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ActionRequestsController.approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "proposal_digest": "3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ApproveDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly council_quorum: number;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly emergency: Record<string, unknown> | null;
                        readonly event_id: string;
                        readonly evidence: unknown;
                        readonly execution: Record<string, unknown> | null;
                        readonly justification: unknown;
                        readonly kind: string;
                        readonly origin: string;
                        readonly payload: Record<string, unknown>;
                        readonly proposal: Record<string, unknown> | null;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly requested_by: string;
                        readonly required_approval_type: string;
                        readonly risk_class: string;
                        readonly status: string;
                        readonly tally: {
                            readonly abstain: number;
                            readonly approve: number;
                            readonly reject: number;
                        };
                        readonly timestamp_seeded: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly event_id: string;
                            readonly phase: string;
                            readonly reason: unknown;
                            /** @enum {string} */
                            readonly vote: "approve" | "reject" | "abstain";
                            readonly voted_at: string;
                            readonly voter: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ActionRequestsController.vote": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "vote": "approve",
                 *       "proposal_digest": "3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1",
                 *       "reason": "checked"
                 *     }
                 */
                readonly "application/json": components["schemas"]["VoteDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly council_quorum: number;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly emergency: Record<string, unknown> | null;
                        readonly event_id: string;
                        readonly evidence: unknown;
                        readonly execution: Record<string, unknown> | null;
                        readonly justification: unknown;
                        readonly kind: string;
                        readonly origin: string;
                        readonly payload: Record<string, unknown>;
                        readonly proposal: Record<string, unknown> | null;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly requested_by: string;
                        readonly required_approval_type: string;
                        readonly risk_class: string;
                        readonly status: string;
                        readonly tally: {
                            readonly abstain: number;
                            readonly approve: number;
                            readonly reject: number;
                        };
                        readonly timestamp_seeded: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly event_id: string;
                            readonly phase: string;
                            readonly reason: unknown;
                            /** @enum {string} */
                            readonly vote: "approve" | "reject" | "abstain";
                            readonly voted_at: string;
                            readonly voter: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ActionRequestsController.create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "kind": "sem_put",
                 *       "payload": {
                 *         "action": "sem_put",
                 *         "key": "world/physics/ohms_law/definition",
                 *         "value": "V = IR"
                 *       },
                 *       "justification": "named in three answers of today",
                 *       "evidence": [
                 *         "ep:3f2a"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateRequestDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly council_quorum: number;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly emergency: Record<string, unknown> | null;
                        readonly event_id: string;
                        readonly evidence: unknown;
                        readonly execution: Record<string, unknown> | null;
                        readonly justification: unknown;
                        readonly kind: string;
                        readonly origin: string;
                        readonly payload: Record<string, unknown>;
                        readonly proposal: Record<string, unknown> | null;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly requested_by: string;
                        readonly required_approval_type: string;
                        readonly risk_class: string;
                        readonly status: string;
                        readonly tally: {
                            readonly abstain: number;
                            readonly approve: number;
                            readonly reject: number;
                        };
                        readonly timestamp_seeded: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly event_id: string;
                            readonly phase: string;
                            readonly reason: unknown;
                            /** @enum {string} */
                            readonly vote: "approve" | "reject" | "abstain";
                            readonly voted_at: string;
                            readonly voter: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-IMMUTABLE_FIELD-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "IncidentsController.acknowledge": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "incident_id": "inc-0123456789abcdef0123456789abcdef",
                 *       "note": "The module was updated and tested again."
                 *     }
                 */
                readonly "application/json": components["schemas"]["AckIncidentDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly acknowledged_by: string;
                        readonly event_id: string;
                        readonly incident_id: string;
                        readonly note: string;
                        readonly position: string;
                        readonly severity: string;
                        readonly status: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "TrustController.read": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly node_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly apt: number;
                        readonly history: readonly {
                            readonly apt_after: number;
                            readonly apt_before: number;
                            readonly event_id: string;
                            readonly event_type: string;
                            readonly timestamp: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly node_id: string;
                        readonly status: string;
                        readonly trust_events: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "TrustController.post": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "node_id": "agent:math_v1",
                 *       "event_type": "COUNCIL_APPROVAL",
                 *       "payload": {
                 *         "approve": true
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["AptEventDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly apt_after: number;
                        readonly apt_before: number;
                        readonly event_id: string;
                        readonly event_type: string;
                        readonly node_id: string;
                        readonly position: string;
                        readonly status: string;
                    };
                };
            };
            /** @description accepted; it goes on */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly node_id: string;
                        readonly pending: boolean;
                        readonly request_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "TrustController.recompute": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "node_id": "agent:math_v1"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RecomputeDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly apt: number;
                        readonly equal: boolean;
                        readonly first_difference: string | null;
                        readonly node_id: string;
                        readonly outcomes: number;
                        readonly recomputed_apt: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "BundlesController.bundle": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly about: {
                            readonly checkpointed_at: string;
                            readonly job_id: string;
                            readonly made_at: string;
                            readonly said_later: {
                                readonly held: number;
                                readonly stored: number;
                            };
                            readonly versions: {
                                readonly bundled_by: string;
                                readonly detector: string;
                                readonly engine: number;
                                readonly policies: {
                                    readonly [key: string]: string;
                                };
                                readonly system: string;
                            };
                        };
                        readonly checkpoint: string;
                        readonly format: string;
                        readonly keys: {
                            readonly events: readonly {
                                readonly kid: string;
                                /** Format: date-time */
                                readonly not_after: string | null;
                                readonly not_before: string;
                                readonly state: string;
                            }[];
                            readonly signers: readonly {
                                /** Format: date-time */
                                readonly not_after: string | null;
                                /** Format: date-time */
                                readonly not_before: string | null;
                                readonly vkey: string;
                            }[];
                        };
                        readonly manifest: string;
                        readonly nodes: readonly string[];
                        readonly records: readonly {
                            readonly leaf_index: number;
                            readonly path: readonly number[];
                            readonly revision: number;
                            readonly stream: string;
                            readonly text: string;
                        }[];
                        readonly replay: {
                            readonly error_code: string | null;
                            readonly steps: readonly {
                                readonly checked: number;
                                readonly detail: string;
                                readonly step: string;
                                readonly verdict: string;
                            }[];
                            /** @enum {string|null} */
                            readonly verdict: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH" | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-MISSING_SNAPSHOT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ProofController.checkpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly checkpoint: {
                            readonly made_at: string;
                            readonly note: string;
                            readonly origin: string;
                            readonly root: string;
                            readonly size: number;
                        };
                        readonly keys: readonly {
                            readonly kid: string;
                            readonly not_after: string | null;
                            readonly not_before: string;
                            readonly vkey: string;
                        }[];
                        readonly state: {
                            readonly leaves: number;
                            readonly origin: string;
                            readonly problem: string | null;
                            readonly ready_for_bundles: boolean;
                            readonly witness: {
                                readonly cosigned_size: number | null;
                                readonly name: string;
                                readonly problem: string | null;
                                readonly url: string;
                            } | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ProofController.note": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ProofController.consistency": {
        readonly parameters: {
            readonly query: {
                readonly from: number;
                readonly to?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly from: {
                            readonly root: string;
                            readonly size: number;
                        };
                        readonly proof: readonly string[];
                        readonly to: {
                            readonly root: string;
                            readonly size: number;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "AuditController.event": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly actor: {
                            readonly id: string;
                            readonly role: string;
                        };
                        readonly causation_id: string | null;
                        readonly data: Record<string, unknown>;
                        readonly event_id: string;
                        readonly hash: string;
                        readonly job_id: string | null;
                        readonly job_seed: string;
                        readonly kid: string;
                        readonly position: string;
                        readonly prev_hash: string;
                        readonly recorded_at: string;
                        readonly redacted: boolean;
                        readonly revision: number;
                        readonly schema_version: number;
                        readonly sequence_index: number;
                        readonly signed_by: string;
                        readonly stream: string;
                        readonly timestamp_seeded: string;
                        readonly trace_id: string;
                        readonly type: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "AuditController.events": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly form?: "stored";
                readonly from?: number;
                readonly limit?: number;
                readonly stream?: string;
                readonly type?: string;
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly actor: {
                                readonly id: string;
                                readonly role: string;
                            };
                            readonly canonical?: string;
                            readonly causation_id: string | null;
                            readonly data: Record<string, unknown>;
                            readonly event_id: string;
                            readonly hash: string;
                            readonly job_id: string | null;
                            readonly job_seed: string;
                            readonly kid: string;
                            readonly position: string;
                            readonly prev_hash: string;
                            readonly recorded_at: string;
                            readonly redacted: boolean;
                            readonly revision: number;
                            readonly schema_version: number;
                            readonly sequence_index: number;
                            readonly signed_by: string;
                            readonly stream: string;
                            readonly timestamp_seeded: string;
                            readonly trace_id: string;
                            readonly type: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "AuditController.evidence": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly evidence_ref: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly erased: boolean;
                        readonly event_type: string;
                        readonly evidence_ref: string;
                        readonly job_id: string | null;
                        readonly kept_at: string;
                        readonly missing: boolean;
                        readonly record: Record<string, unknown> | null;
                        readonly user_id: string | null;
                        readonly withheld: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ProofController.proof": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly checkpoint: {
                            readonly made_at: string;
                            readonly note: string;
                            readonly origin: string;
                            readonly root: string;
                            readonly size: number;
                        };
                        readonly entry: string;
                        readonly event_id: string;
                        readonly inclusion: readonly string[];
                        readonly leaf_hash: string;
                        readonly leaf_index: number;
                        readonly revision: number;
                        readonly stream: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "AuditController.stream": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly form?: "stored";
                readonly limit?: number;
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly stream: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly actor: {
                                readonly id: string;
                                readonly role: string;
                            };
                            readonly canonical?: string;
                            readonly causation_id: string | null;
                            readonly data: Record<string, unknown>;
                            readonly event_id: string;
                            readonly hash: string;
                            readonly job_id: string | null;
                            readonly job_seed: string;
                            readonly kid: string;
                            readonly position: string;
                            readonly prev_hash: string;
                            readonly recorded_at: string;
                            readonly redacted: boolean;
                            readonly revision: number;
                            readonly schema_version: number;
                            readonly sequence_index: number;
                            readonly signed_by: string;
                            readonly stream: string;
                            readonly timestamp_seeded: string;
                            readonly trace_id: string;
                            readonly type: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "AuthController.enrol": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly secret: string;
                        readonly uri: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "AuthController.revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "jti": "7e21cbd8-f1d5-4b7f-9fec-bbf9b71ce619"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RevokeDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly revoked: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "AuthController.elevate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "otp": "492039"
                 *     }
                 */
                readonly "application/json": components["schemas"]["StepUpDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly access_token: string;
                        readonly expires_in: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "BrainStateController.read": {
        readonly parameters: {
            readonly query?: {
                readonly as_of?: string;
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly snapshot_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly attention: {
                            readonly attention_gain: number;
                            readonly explore_bias: number;
                            readonly reward_signal: number;
                        };
                        readonly brainstate_id: string | null;
                        readonly brainstate_snapshot_id: string;
                        readonly config_hash: string;
                        readonly constants: Record<string, unknown>;
                        readonly CWM: {
                            readonly items: readonly unknown[];
                            readonly tokens_used: number;
                            readonly topic: unknown;
                        };
                        readonly erased: boolean;
                        readonly goals: readonly unknown[];
                        readonly job_seed: string | null;
                        readonly last_updated: string | null;
                        readonly recent_failures: readonly unknown[];
                        readonly redacted: boolean;
                        readonly resource_budget: {
                            readonly max_depth_allowed: number;
                            readonly token_budget: number;
                        };
                        readonly tick: number;
                        readonly timestamp: string | null;
                        readonly WM: readonly unknown[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "BrainStateController.create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "job_seed": "demo",
                 *       "goals": [
                 *         {
                 *           "type": "answer",
                 *           "priority": 0.9,
                 *           "origin": "user"
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateSnapshotDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly brainstate_snapshot_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-JOB_SEED_CONFLICT"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "BrainStateController.insert": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "brainstate_snapshot_id": "5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d13f2a9c0d",
                 *       "type": "user_hint",
                 *       "value": "prefers short answers",
                 *       "ttl_ticks": 3
                 *     }
                 */
                readonly "application/json": components["schemas"]["InsertDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly event_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "BrainStateController.query": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "brainstate_snapshot_id": "5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d13f2a9c0d"
                 *     }
                 */
                readonly "application/json": components["schemas"]["QueryBrainStateDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly allow_explore: boolean;
                        readonly max_depth_allowed: number;
                        readonly prefer_high_APT: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "BrainStateController.tick": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "brainstate_snapshot_id": "5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d13f2a9c0d",
                 *       "event_ids": [
                 *         "3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["TickDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly attention: {
                            readonly attention_gain: number;
                            readonly explore_bias: number;
                            readonly reward_signal: number;
                        };
                        readonly brainstate_id: string | null;
                        readonly brainstate_snapshot_id: string;
                        readonly config_hash: string;
                        readonly constants: Record<string, unknown>;
                        readonly CWM: {
                            readonly items: readonly unknown[];
                            readonly tokens_used: number;
                            readonly topic: unknown;
                        };
                        readonly erased: boolean;
                        readonly goals: readonly unknown[];
                        readonly job_seed: string | null;
                        readonly last_updated: string | null;
                        readonly recent_failures: readonly unknown[];
                        readonly redacted: boolean;
                        readonly resource_budget: {
                            readonly max_depth_allowed: number;
                            readonly token_budget: number;
                        };
                        readonly tick: number;
                        readonly timestamp: string | null;
                        readonly WM: readonly unknown[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ConsentsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly consent_id: string;
                            readonly consent_text: string;
                            readonly event_id: string;
                            readonly expires_at: string | null;
                            readonly granted_at: string;
                            readonly idempotency_key: string | null;
                            readonly job_seed: string | null;
                            readonly pii_type: string;
                            readonly revoked_at: string | null;
                            readonly scope: string;
                            readonly status: string;
                            readonly ttl_seconds: number | null;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ConsentsController.grant": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "pii_type": "phone",
                 *       "scope": "persistent",
                 *       "consent_text": "MACE may remember my phone number."
                 *     }
                 */
                readonly "application/json": components["schemas"]["GrantConsentDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly consent_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ConsentsController.revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly consent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /** @example {} */
                readonly "application/json": components["schemas"]["RevokeConsentDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly consent_id: string;
                        readonly consent_text: string;
                        readonly event_id: string;
                        readonly expires_at: string | null;
                        readonly granted_at: string;
                        readonly idempotency_key: string | null;
                        readonly job_seed: string | null;
                        readonly pii_type: string;
                        readonly revoked_at: string | null;
                        readonly scope: string;
                        readonly status: string;
                        readonly ttl_seconds: number | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "DocsController.page": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
        };
    };
    readonly "DocsController.asset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly asset: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/css": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
        };
    };
    readonly "DocsController.start": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/javascript": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
        };
    };
    readonly "DsrController.show": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly dsr_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly approved_at: string | null;
                        readonly approved_by: string | null;
                        readonly deletion_manifest: Record<string, unknown> | null;
                        readonly document_ref: string | null;
                        readonly dsr_id: string;
                        readonly erased_at: string | null;
                        readonly erasure_requested_at: string | null;
                        /** @enum {string} */
                        readonly identity_method: "otp" | "document";
                        readonly keys_destroyed_at: string | null;
                        /** @enum {string} */
                        readonly kind: "export" | "delete";
                        readonly manifest_hash: string | null;
                        readonly reason: string | null;
                        readonly requested_at: string;
                        readonly requested_by: string;
                        /** @enum {string} */
                        readonly status: "ready" | "waiting_for_approval" | "approved" | "erasing" | "erased";
                        readonly user_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "DsrController.approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly dsr_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly approved_at: string | null;
                        readonly approved_by: string | null;
                        readonly deletion_manifest: Record<string, unknown> | null;
                        readonly document_ref: string | null;
                        readonly dsr_id: string;
                        readonly erased_at: string | null;
                        readonly erasure_requested_at: string | null;
                        /** @enum {string} */
                        readonly identity_method: "otp" | "document";
                        readonly keys_destroyed_at: string | null;
                        /** @enum {string} */
                        readonly kind: "export" | "delete";
                        readonly manifest_hash: string | null;
                        readonly reason: string | null;
                        readonly requested_at: string;
                        readonly requested_by: string;
                        /** @enum {string} */
                        readonly status: "ready" | "waiting_for_approval" | "approved" | "erasing" | "erased";
                        readonly user_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "DsrController.take": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly dsr_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly digest: string;
                        readonly dsr_id: string;
                        readonly package: {
                            readonly as_of: string;
                            readonly dsr_id: string;
                            readonly format: string;
                            readonly memory: Record<string, unknown>;
                            readonly records: readonly {
                                readonly data: Record<string, unknown>;
                                readonly event_id: string;
                                readonly position: string;
                                readonly type: string;
                            }[];
                            readonly user_id: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "DsrController.hold": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "evidence_ref": "3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1",
                 *       "reason": "preservation order 12/2026"
                 *     }
                 */
                readonly "application/json": components["schemas"]["PlaceHoldDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly evidence_ref: string;
                        readonly hold_id: string;
                        readonly placed_at: string;
                        readonly placed_by: string;
                        readonly reason: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "DsrController.file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "kind": "delete",
                 *       "user_id": "tuff",
                 *       "identity_proof": {
                 *         "otp": "492039"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["FileDsrDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly dsr_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "FailuresController.report": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "POLICY_VIOLATION",
                 *       "node_id": "agent:math_v1",
                 *       "details": {
                 *         "action": "sem.write"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["FailureDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly event_id: string;
                        readonly event_type: string;
                        readonly node_id: string | null;
                        readonly position: string;
                        readonly status: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "TailController.follow": {
        readonly parameters: {
            readonly query?: {
                readonly follow?: boolean;
                readonly last_event_id?: string;
                readonly stream?: string;
                readonly types?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "GovernanceController.events": {
        readonly parameters: {
            readonly query?: {
                readonly as_of?: string;
                readonly cursor?: string;
                readonly limit?: number;
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly in_force: Record<string, unknown> | null;
                        readonly items: readonly {
                            readonly data: Record<string, unknown>;
                            readonly event_id: string;
                            readonly position: string;
                            readonly revision: number;
                            readonly signed_by: string;
                            readonly stream: string;
                            readonly timestamp_seeded: string;
                            readonly type: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "GovernanceController.propose": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "policy": "governance",
                 *       "change": {
                 *         "max_repair_loops": 2
                 *       },
                 *       "justification": "a third repair never helped"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ProposePolicyDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly council_quorum: number;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly emergency: Record<string, unknown> | null;
                        readonly event_id: string;
                        readonly evidence: unknown;
                        readonly execution: Record<string, unknown> | null;
                        readonly justification: unknown;
                        readonly kind: string;
                        readonly origin: string;
                        readonly payload: Record<string, unknown>;
                        readonly proposal: Record<string, unknown> | null;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly requested_by: string;
                        readonly required_approval_type: string;
                        readonly risk_class: string;
                        readonly status: string;
                        readonly tally: {
                            readonly abstain: number;
                            readonly approve: number;
                            readonly reject: number;
                        };
                        readonly timestamp_seeded: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly event_id: string;
                            readonly phase: string;
                            readonly reason: unknown;
                            /** @enum {string} */
                            readonly vote: "approve" | "reject" | "abstain";
                            readonly voted_at: string;
                            readonly voter: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-MISSING_SNAPSHOT"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "GraphqlController.ask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "query": "{ semResolve(text: \"my favourite colour\") { ... on SemResolved { canonical_key } } }"
                 *     }
                 */
                readonly "application/json": components["schemas"]["GraphqlDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data?: unknown;
                        readonly errors?: readonly Record<string, unknown>[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "HealthController.live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly status: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
        };
    };
    readonly "HealthController.ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly bundles_wait_for: string | null;
                        /** @enum {string} */
                        readonly cache?: "up" | "down";
                        readonly degraded?: readonly {
                            /** @enum {string} */
                            readonly part: "event_store" | "read_store" | "keys" | "disk" | "projections" | "cache";
                            readonly reason: string;
                        }[];
                        readonly ready_for_bundles: boolean;
                        readonly status: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "HistoryController.diff": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly from?: string;
                readonly kind?: "memory" | "module" | "policy" | "request" | "brainstate" | "access" | "amendment" | "consent" | "dsr" | "forensic" | "identity" | "incident" | "job" | "negotiation" | "principal" | "replay" | "snapshot" | "system";
                readonly limit?: number;
                readonly to?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly from: string;
                        readonly items: readonly {
                            /** @enum {string} */
                            readonly change: "created" | "changed" | "removed" | "rewritten" | "unreadable";
                            readonly differences: readonly {
                                readonly from: unknown;
                                readonly pointer: string;
                                readonly to: unknown;
                            }[];
                            readonly from_version: number;
                            readonly kind: string;
                            /** @description Why a stream is unreadable. */
                            readonly reason?: string;
                            readonly stream: string;
                            readonly to_version: number;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                        readonly to: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "IncidentsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly severity?: "warning" | "error" | "critical";
                readonly status?: "open" | "acknowledged";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly acknowledged_by: string | null;
                            readonly cause: {
                                readonly event_id: string;
                                readonly stream: string;
                                readonly type: string;
                            };
                            readonly incident_id: string;
                            readonly links: readonly {
                                readonly event_id: string;
                                readonly stream: string;
                                readonly type: string;
                            }[];
                            readonly note: string | null;
                            readonly position: number;
                            readonly severity: string;
                            readonly status: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "IncidentsController.failedWrites": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly key?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly attempts: number;
                            readonly error_code: string;
                            readonly event_id: string;
                            readonly fault: string;
                            readonly key: string;
                            readonly position: number;
                            readonly stream: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                        readonly waiting: readonly {
                            readonly attempts: number;
                            readonly error_code: string;
                            readonly event_id: string;
                            readonly fault: string;
                            readonly key: string;
                            readonly stream: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "IntegrityController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly counts: {
                                readonly artifacts: number;
                                readonly erased_references: number;
                                readonly events: number;
                                readonly jobs: number;
                                readonly leaves: number | null;
                                readonly references: number;
                                readonly sealed_jobs: number;
                                readonly snapshots: number;
                                readonly streams: number;
                                readonly unchecked_references: number;
                            };
                            readonly digest: string | null;
                            readonly ended_at: string | null;
                            readonly eta_seconds: number | null;
                            readonly faults: number;
                            readonly found: readonly unknown[];
                            readonly position: string;
                            readonly processed: number;
                            readonly rate: number;
                            readonly reason: string | null;
                            readonly requested_by: string;
                            readonly sound: boolean | null;
                            readonly started_at: string;
                            /** @enum {string} */
                            readonly state: "running" | "done" | "interrupted" | "failed";
                            readonly stream: string | null;
                            readonly summary_event_id: string | null;
                            readonly total: number;
                            readonly verification_id: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "IntegrityController.get": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly verification_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly counts: {
                            readonly artifacts: number;
                            readonly erased_references: number;
                            readonly events: number;
                            readonly jobs: number;
                            readonly leaves: number | null;
                            readonly references: number;
                            readonly sealed_jobs: number;
                            readonly snapshots: number;
                            readonly streams: number;
                            readonly unchecked_references: number;
                        };
                        readonly digest: string | null;
                        readonly ended_at: string | null;
                        readonly eta_seconds: number | null;
                        readonly faults: number;
                        readonly found: readonly {
                            readonly detector: string;
                            readonly position: string | null;
                            readonly reason: string;
                            readonly revision: number | null;
                            readonly stream: string | null;
                        }[];
                        readonly position: string;
                        readonly processed: number;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly requested_by: string;
                        readonly sound: boolean | null;
                        readonly started_at: string;
                        /** @enum {string} */
                        readonly state: "running" | "done" | "interrupted" | "failed";
                        readonly stream: string | null;
                        readonly summary_event_id: string | null;
                        readonly total: number;
                        readonly verification_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "IntegrityController.verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "workers": 1,
                 *       "resume": false
                 *     }
                 */
                readonly "application/json": components["schemas"]["VerifyIntegrityDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly counts: {
                            readonly artifacts: number;
                            readonly erased_references: number;
                            readonly events: number;
                            readonly jobs: number;
                            readonly leaves: number | null;
                            readonly references: number;
                            readonly sealed_jobs: number;
                            readonly snapshots: number;
                            readonly streams: number;
                            readonly unchecked_references: number;
                        };
                        readonly digest: string | null;
                        readonly ended_at: string | null;
                        readonly eta_seconds: number | null;
                        readonly faults: number;
                        readonly found: readonly unknown[];
                        readonly position: string;
                        readonly processed: number;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly requested_by: string;
                        readonly sound: boolean | null;
                        readonly started_at: string;
                        /** @enum {string} */
                        readonly state: "running" | "done" | "interrupted" | "failed";
                        readonly stream: string | null;
                        readonly summary_event_id: string | null;
                        readonly total: number;
                        readonly verification_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "JobsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly agent_id: string | null;
                            readonly created_at: string;
                            readonly final_confidence: number;
                            readonly job_id: string;
                            readonly job_seed: string;
                            readonly log_id: string | null;
                            readonly position: number;
                            readonly route_reason: string | null;
                            readonly sealed: boolean;
                            readonly status: string;
                            readonly user_id: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "JobsController.ask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "query_text": "What is my favorite color?",
                 *       "context_tags": {
                 *         "locale": "en"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["AskDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        readonly created_at: string;
                        readonly depth: number;
                        readonly error?: components["schemas"]["ErrorEnvelope"];
                        readonly final_answer: string | null;
                        readonly final_confidence: number;
                        readonly job_id: string;
                        readonly job_seed: string;
                        readonly log_id: string;
                        readonly notices: readonly components["schemas"]["ErrorEnvelope"][];
                        readonly replayable: boolean;
                        readonly review?: {
                            readonly amendment_id: string;
                            readonly at: string;
                            /** @enum {string} */
                            readonly author_role: "admin" | "council" | "emergency";
                            readonly changes: Record<string, unknown>;
                        };
                        readonly route_reason: string;
                        readonly snapshots: {
                            readonly [key: string]: string;
                        };
                        /** @enum {string} */
                        readonly status: "running" | "completed" | "blocked" | "failed";
                        readonly trace_id: string;
                        readonly user_message: string;
                    };
                };
            };
            /** @description accepted; it goes on */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly job_id: string;
                        readonly status: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-ROUTER_NO_MATCH-SEM_NOT_FOUND"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-COUNCIL_DEADLOCK-INTEGRITY_FAILURE-JOB_SEED_CONFLICT-MISSING_SNAPSHOT"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR-SEM_WRITE_FAIL"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE-LLM_SERVICE_DOWN-REPAIR_LIMIT_EXCEEDED-ROUTER_NO_SNAPSHOT"];
            readonly 504: components["responses"]["504.AGENT_TIMEOUT"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "JobsController.read": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string | null;
                        readonly created_at: string;
                        readonly depth: number;
                        readonly error?: components["schemas"]["ErrorEnvelope"];
                        readonly final_answer: string | null;
                        readonly final_confidence: number;
                        readonly job_id: string;
                        readonly job_seed: string;
                        readonly log_id: string | null;
                        readonly notices: readonly components["schemas"]["ErrorEnvelope"][];
                        readonly replayable: boolean;
                        readonly review?: {
                            readonly amendment_id: string;
                            readonly at: string;
                            /** @enum {string} */
                            readonly author_role: "admin" | "council" | "emergency";
                            readonly changes: Record<string, unknown>;
                        };
                        readonly route_reason: string | null;
                        readonly snapshots: {
                            readonly [key: string]: string;
                        };
                        /** @enum {string} */
                        readonly status: "running" | "completed" | "blocked" | "failed";
                        readonly trace_id: string;
                        readonly user_message: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "JobsController.events": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly actor: {
                                readonly id: string;
                                readonly role: string;
                            };
                            readonly causation_id: string | null;
                            readonly data: Record<string, unknown>;
                            readonly event_id: string;
                            readonly hash: string;
                            readonly position: string;
                            readonly revision: number;
                            readonly sequence_index: number;
                            readonly signed_by: string;
                            readonly stream: string;
                            readonly timestamp_seeded: string;
                            readonly type: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "JobsController.explain": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly asked_at: string;
                        readonly asked_by: string;
                        readonly classification: Record<string, unknown> | null;
                        readonly council: readonly {
                            readonly candidate_event_id: string;
                            readonly council_score: number;
                            readonly event_id: string;
                            readonly final_confidence: number;
                            readonly outcome: string;
                            readonly votes: readonly Record<string, unknown>[];
                        }[];
                        readonly error_code: string | null;
                        readonly final_answer: string | null;
                        readonly final_confidence: number;
                        readonly job_id: string;
                        readonly notices: readonly Record<string, unknown>[];
                        readonly question: string;
                        readonly reason: string | null;
                        readonly review: Record<string, unknown> | null;
                        readonly routing: readonly {
                            readonly agent_id: string | null;
                            readonly candidates: readonly Record<string, unknown>[];
                            readonly event_id: string;
                            readonly iteration: number;
                            readonly left_out: readonly Record<string, unknown>[];
                            readonly route_reason: string | null;
                        }[];
                        readonly snapshots: {
                            readonly [key: string]: string;
                        };
                        readonly status: string;
                        readonly text: readonly string[];
                        readonly turns: readonly {
                            readonly agent_id: string;
                            readonly attempt: number;
                            readonly confidence: number;
                            readonly detail: string;
                            readonly event_id: string;
                            readonly evidence: readonly Record<string, unknown>[];
                            readonly outcome: string;
                            readonly reasoning_trace: readonly string[];
                            readonly text: string;
                        }[];
                        readonly user_message: string | null;
                        readonly writes: readonly Record<string, unknown>[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "JobsController.feedback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "upvote": true,
                 *       "comment": "right"
                 *     }
                 */
                readonly "application/json": components["schemas"]["FeedbackDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly event_id: string;
                        readonly job_id: string;
                        readonly log_id: string;
                        readonly upvote: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-LOG_INVALID"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "JobsController.log": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_outputs: readonly Record<string, unknown>[];
                        readonly agents_invoked: readonly string[];
                        readonly amendments: readonly Record<string, unknown>[];
                        readonly audit_tags: readonly Record<string, unknown>[];
                        readonly cache_hit: boolean;
                        readonly council_votes: readonly Record<string, unknown>[];
                        readonly created_at: string;
                        readonly event_refs: readonly string[];
                        readonly final_answer: string | null;
                        readonly final_confidence: number;
                        readonly ground_truth_label: readonly Record<string, unknown>[];
                        readonly iteration_trace: readonly Record<string, unknown>[];
                        readonly job_id: string;
                        readonly job_seed: string;
                        readonly log_id: string;
                        readonly missing_artifacts: readonly unknown[];
                        readonly qcp_summary: Record<string, unknown> | null;
                        readonly query_id: string;
                        readonly query_text_hash: string;
                        readonly repair_loops: number;
                        readonly replayable: boolean;
                        readonly runtime_metrics: Record<string, unknown>;
                        readonly sem_snapshot_hash: string;
                        readonly signature: string;
                        readonly snapshots: {
                            readonly [key: string]: string;
                        };
                        readonly source: string;
                        readonly system_version: string;
                        readonly user_feedback: readonly Record<string, unknown>[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-LOG_INVALID"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "JobProgressController.progress": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "UnreplayableController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly missing?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly at_least: readonly string[];
                        readonly counts: {
                            readonly agent_output: number;
                            readonly input: number;
                            readonly integrity: number;
                            readonly record: number;
                            readonly snapshot: number;
                        };
                        readonly items: readonly {
                            readonly artifact: string;
                            readonly artifacts: readonly string[];
                            readonly event_id: string;
                            readonly found_by: string;
                            readonly job_id: string;
                            readonly missing: string;
                            readonly position: number;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "LocalAuthController.enrol": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "tuff"
                 *     }
                 */
                readonly "application/json": components["schemas"]["UserDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly secret: string;
                        readonly uri: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "LocalAuthController.verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "tuff",
                 *       "otp": "492039"
                 *     }
                 */
                readonly "application/json": components["schemas"]["OneTimeCodeDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly user_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "LocalAuthController.register": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "tuff"
                 *     }
                 */
                readonly "application/json": components["schemas"]["UserDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly user_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "LocalAuthController.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "tuff"
                 *     }
                 */
                readonly "application/json": components["schemas"]["UserDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly user_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "MetricsController.read": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
        };
    };
    readonly "ModuleController.quarantine": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "node_id": "agent:math_v1",
                 *       "reason": "it gave harmful answers"
                 *     }
                 */
                readonly "application/json": components["schemas"]["QuarantineDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly node_id: string;
                        readonly pending: boolean;
                        readonly request_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ModuleController.register": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "node_id": "agent:math_v2",
                 *       "type": "agent",
                 *       "display_name": "Mathematics",
                 *       "version": "2.0.0"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegisterModuleDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        readonly apt: number;
                        readonly capabilities: readonly string[];
                        readonly dependencies: readonly unknown[];
                        readonly dependency_unhealthy: boolean;
                        readonly display_name: string;
                        readonly edges: readonly unknown[];
                        readonly last_updated: string;
                        readonly metrics: {
                            readonly consecutive_failures: number;
                            readonly last_failure_ts: string | null;
                            readonly total_calls: number;
                            readonly trust_events: number;
                        };
                        readonly node_id: string;
                        readonly policy: Record<string, unknown>;
                        readonly registration: {
                            readonly registered_at: string;
                            readonly registered_by: string;
                        };
                        readonly status: string;
                        readonly status_reason: string;
                        readonly type: string;
                        readonly unhealthy_dependencies: readonly unknown[];
                        readonly version: string;
                    };
                };
            };
            /** @description accepted; it goes on */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly node_id: string;
                        readonly pending: boolean;
                        readonly request_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-IMMUTABLE_FIELD-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ModulesController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly status?: "healthy" | "degraded" | "offline" | "quarantined";
                readonly type?: "agent" | "tool" | "service" | "router" | "adapter" | "memory";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly agent_id: string;
                            readonly apt: number;
                            readonly capabilities: readonly string[];
                            readonly dependencies: readonly unknown[];
                            readonly dependency_unhealthy: boolean;
                            readonly display_name: string;
                            readonly edges: readonly unknown[];
                            readonly last_updated: string;
                            readonly metrics: {
                                readonly consecutive_failures: number;
                                readonly last_failure_ts: string | null;
                                readonly total_calls: number;
                                readonly trust_events: number;
                            };
                            readonly node_id: string;
                            readonly policy: Record<string, unknown>;
                            readonly registration: {
                                readonly registered_at: string;
                                readonly registered_by: string;
                            };
                            readonly status: string;
                            readonly status_reason: string;
                            readonly type: string;
                            readonly unhealthy_dependencies: readonly unknown[];
                            readonly version: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ModulesController.read": {
        readonly parameters: {
            readonly query?: {
                readonly as_of?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly node_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        readonly apt: number;
                        readonly capabilities: readonly string[];
                        readonly dependencies: readonly unknown[];
                        readonly dependency_unhealthy: boolean;
                        readonly display_name: string;
                        readonly edges: readonly unknown[];
                        readonly last_updated: string;
                        readonly metrics: {
                            readonly consecutive_failures: number;
                            readonly last_failure_ts: string | null;
                            readonly total_calls: number;
                            readonly trust_events: number;
                        };
                        readonly node_id: string;
                        readonly policy: Record<string, unknown>;
                        readonly registration: {
                            readonly registered_at: string;
                            readonly registered_by: string;
                        };
                        readonly status: string;
                        readonly status_reason: string;
                        readonly type: string;
                        readonly unhealthy_dependencies: readonly unknown[];
                        readonly version: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ModulesController.restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly node_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "its dependency is back"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RestoreDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        readonly apt: number;
                        readonly capabilities: readonly string[];
                        readonly dependencies: readonly unknown[];
                        readonly dependency_unhealthy: boolean;
                        readonly display_name: string;
                        readonly edges: readonly unknown[];
                        readonly last_updated: string;
                        readonly metrics: {
                            readonly consecutive_failures: number;
                            readonly last_failure_ts: string | null;
                            readonly total_calls: number;
                            readonly trust_events: number;
                        };
                        readonly node_id: string;
                        readonly policy: Record<string, unknown>;
                        readonly registration: {
                            readonly registered_at: string;
                            readonly registered_by: string;
                        };
                        readonly status: string;
                        readonly status_reason: string;
                        readonly type: string;
                        readonly unhealthy_dependencies: readonly unknown[];
                        readonly version: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "NegotiationsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly critic?: "me";
                readonly cursor?: string;
                readonly limit?: number;
                readonly status?: "open" | "decided";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly artifact_id: string;
                            readonly artifact_type: string;
                            readonly closes_at: string | null;
                            readonly due_at: string;
                            readonly negotiation_room_id: string;
                            readonly outcome: string | null;
                            readonly position: number;
                            readonly producer_id: string;
                            readonly producer_principal: string;
                            readonly received_at: string;
                            readonly requested_critics: readonly string[];
                            readonly status: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "NegotiationsController.read": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly artifact_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly artifact: string | null;
                        readonly artifact_content_type: string;
                        readonly artifact_id: string;
                        readonly artifact_ref: string;
                        readonly artifact_type: string;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly negotiation_room_id: string;
                        readonly policy: {
                            readonly aggregation: string;
                            readonly escalate_above_std_dev: number;
                            readonly escalate_below_confidence: number;
                            readonly max_std_dev: number;
                            readonly min_confidence: number;
                            readonly min_pass_ratio: number;
                            readonly min_score: number;
                            readonly policy_version: string;
                        };
                        readonly producer_id: string;
                        readonly quorum_policy: Record<string, unknown>;
                        readonly quorum_threshold: number;
                        readonly received_at: string;
                        readonly redacted: boolean;
                        readonly requested_critics: readonly string[];
                        readonly ruling: {
                            readonly action: string | null;
                            readonly decision_event_id: string;
                            readonly rationale: string | null;
                            /** @enum {string} */
                            readonly reason_type: "DEBATE_DEADLOCK" | "TASK_ESCALATION" | "CONFLICT";
                            /** Format: date-time */
                            readonly ruled_at: string;
                        } | null;
                        readonly status: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly confidence: number;
                            readonly critic_id: string;
                            readonly passed: boolean;
                            readonly recommendations: readonly string[];
                            readonly score: number;
                            readonly strengths: readonly string[];
                            readonly voted_at: string | null;
                            readonly weaknesses: readonly string[];
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "DocsController.openApi": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly openapi: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 403: components["responses"]["403.PRIVACY_BLOCKED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "PiiController.handle": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "Call me at +44 20 7946 0018 after six.",
                 *       "persist": false
                 *     }
                 */
                readonly "application/json": components["schemas"]["HandleTextDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly event_id: string;
                        readonly findings: readonly {
                            readonly category: string;
                            readonly span: readonly number[];
                            readonly type: string;
                        }[];
                        readonly redacted_text: string;
                        readonly status: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ProjectionsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly error?: Record<string, unknown>;
                            readonly head: string;
                            readonly lag: {
                                readonly at_least?: boolean;
                                readonly events: number;
                                readonly seconds: number;
                            };
                            readonly name: string;
                            readonly parked: number;
                            readonly position: string;
                            readonly rebuilding: string | null;
                            readonly standby?: boolean;
                            /** @enum {string} */
                            readonly state: "starting" | "standby" | "catching_up" | "live" | "retrying" | "halted" | "stopped";
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ParkingController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly by: string | null;
                            readonly done: boolean;
                            readonly event_id: string;
                            readonly event_type: string;
                            readonly position: string;
                            readonly projection: string;
                            readonly reason: string | null;
                            /** @enum {string} */
                            readonly reason_class: "decoding" | "projecting" | "storing";
                            readonly replays: number;
                            /** @enum {string} */
                            readonly state: "halted" | "parked" | "replayed" | "discarded" | "skipped";
                            readonly through: string | null;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ParkingController.discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly position: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "a test of a colleague"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly by: string | null;
                        readonly done: boolean;
                        readonly event_id: string;
                        readonly event_type: string;
                        readonly position: string;
                        readonly projection: string;
                        readonly reason: string | null;
                        /** @enum {string} */
                        readonly reason_class: "decoding" | "projecting" | "storing";
                        readonly replays: number;
                        /** @enum {string} */
                        readonly state: "halted" | "parked" | "replayed" | "discarded" | "skipped";
                        readonly through: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ParkingController.park": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly position: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "until the next release"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly by: string | null;
                        readonly done: boolean;
                        readonly event_id: string;
                        readonly event_type: string;
                        readonly position: string;
                        readonly projection: string;
                        readonly reason: string | null;
                        /** @enum {string} */
                        readonly reason_class: "decoding" | "projecting" | "storing";
                        readonly replays: number;
                        /** @enum {string} */
                        readonly state: "halted" | "parked" | "replayed" | "discarded" | "skipped";
                        readonly through: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ParkingController.replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly position: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "mended in 0.2.1"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly by: string | null;
                        readonly done: boolean;
                        readonly event_id: string;
                        readonly event_type: string;
                        readonly position: string;
                        readonly projection: string;
                        readonly reason: string | null;
                        /** @enum {string} */
                        readonly reason_class: "decoding" | "projecting" | "storing";
                        readonly replays: number;
                        /** @enum {string} */
                        readonly state: "halted" | "parked" | "replayed" | "discarded" | "skipped";
                        readonly through: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ParkingController.skip": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly position: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_id": "60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2",
                 *       "reason": "says what the one before said"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SkipDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly by: string | null;
                        readonly done: boolean;
                        readonly event_id: string;
                        readonly event_type: string;
                        readonly position: string;
                        readonly projection: string;
                        readonly reason: string | null;
                        /** @enum {string} */
                        readonly reason_class: "decoding" | "projecting" | "storing";
                        readonly replays: number;
                        /** @enum {string} */
                        readonly state: "halted" | "parked" | "replayed" | "discarded" | "skipped";
                        readonly through: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "RebuildsController.begin": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "after the repair of the disk"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly begun_by: string;
                        readonly equal: boolean | null;
                        readonly eta_seconds: number | null;
                        readonly events: number;
                        readonly failure: string | null;
                        readonly generation: string;
                        readonly live_digest: string | null;
                        readonly position: string | null;
                        readonly processed: number;
                        readonly projection: string;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly rebuild_id: string;
                        readonly rebuilt_digest: string | null;
                        /** @enum {string} */
                        readonly state: "running" | "ready" | "failed" | "cancelled" | "swapping" | "swapped" | "rolling_back" | "rolled_back";
                        readonly total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "RebuildsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly begun_by: string;
                            readonly equal: boolean | null;
                            readonly eta_seconds: number | null;
                            readonly events: number;
                            readonly failure: string | null;
                            readonly generation: string;
                            readonly live_digest: string | null;
                            readonly position: string | null;
                            readonly processed: number;
                            readonly projection: string;
                            readonly rate: number;
                            readonly reason: string | null;
                            readonly rebuild_id: string;
                            readonly rebuilt_digest: string | null;
                            /** @enum {string} */
                            readonly state: "running" | "ready" | "failed" | "cancelled" | "swapping" | "swapped" | "rolling_back" | "rolled_back";
                            readonly total: number;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "RebuildsController.get": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly rebuild_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly begun_by: string;
                        readonly equal: boolean | null;
                        readonly eta_seconds: number | null;
                        readonly events: number;
                        readonly failure: string | null;
                        readonly generation: string;
                        readonly live_digest: string | null;
                        readonly position: string | null;
                        readonly processed: number;
                        readonly projection: string;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly rebuild_id: string;
                        readonly rebuilt_digest: string | null;
                        /** @enum {string} */
                        readonly state: "running" | "ready" | "failed" | "cancelled" | "swapping" | "swapped" | "rolling_back" | "rolled_back";
                        readonly total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "RebuildsController.cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly rebuild_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "not needed any more"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly begun_by: string;
                        readonly equal: boolean | null;
                        readonly eta_seconds: number | null;
                        readonly events: number;
                        readonly failure: string | null;
                        readonly generation: string;
                        readonly live_digest: string | null;
                        readonly position: string | null;
                        readonly processed: number;
                        readonly projection: string;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly rebuild_id: string;
                        readonly rebuilt_digest: string | null;
                        /** @enum {string} */
                        readonly state: "running" | "ready" | "failed" | "cancelled" | "swapping" | "swapped" | "rolling_back" | "rolled_back";
                        readonly total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "RebuildsController.rollBack": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly rebuild_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "a list lacks documents"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly begun_by: string;
                        readonly equal: boolean | null;
                        readonly eta_seconds: number | null;
                        readonly events: number;
                        readonly failure: string | null;
                        readonly generation: string;
                        readonly live_digest: string | null;
                        readonly position: string | null;
                        readonly processed: number;
                        readonly projection: string;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly rebuild_id: string;
                        readonly rebuilt_digest: string | null;
                        /** @enum {string} */
                        readonly state: "running" | "ready" | "failed" | "cancelled" | "swapping" | "swapped" | "rolling_back" | "rolled_back";
                        readonly total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "RebuildsController.swap": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly rebuild_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "the digests are the same"
                 *     }
                 */
                readonly "application/json": components["schemas"]["BecauseDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly begun_by: string;
                        readonly equal: boolean | null;
                        readonly eta_seconds: number | null;
                        readonly events: number;
                        readonly failure: string | null;
                        readonly generation: string;
                        readonly live_digest: string | null;
                        readonly position: string | null;
                        readonly processed: number;
                        readonly projection: string;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly rebuild_id: string;
                        readonly rebuilt_digest: string | null;
                        /** @enum {string} */
                        readonly state: "running" | "ready" | "failed" | "cancelled" | "swapping" | "swapped" | "rolling_back" | "rolled_back";
                        readonly total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ProjectionsController.rerun": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "from": "0"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RerunDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly progress: null | {
                            readonly eta_seconds: number | null;
                            readonly events: number;
                            readonly processed: number;
                            readonly rate: number;
                            readonly total: number;
                        };
                        readonly projection: string;
                        readonly reason: string | null;
                        readonly rerun_id: string;
                        readonly result: null | {
                            readonly before: number;
                            readonly comparable: boolean;
                            readonly differing: readonly {
                                readonly collection: string;
                                readonly id: string;
                                readonly live: string | null;
                                readonly scratch: string | null;
                            }[] | null;
                            readonly documents: {
                                readonly live: number | null;
                                readonly scratch: number;
                            };
                            readonly equal: boolean;
                            readonly from: string;
                            readonly from_digest: string | null;
                            readonly live_digest: string | null;
                            readonly processed: number;
                            readonly projection: string;
                            readonly reason?: string;
                            readonly scratch_digest: string;
                            readonly seconds: number;
                            readonly to: string;
                        };
                        /** @enum {string} */
                        readonly state: "running" | "done" | "failed";
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ProjectionsController.progress": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly rerun_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly progress: {
                            readonly eta_seconds: number | null;
                            readonly events: number;
                            readonly processed: number;
                            readonly rate: number;
                            readonly total: number;
                        } | null;
                        readonly projection: string;
                        readonly reason: string | null;
                        readonly rerun_id: string;
                        readonly result: {
                            readonly before: number;
                            readonly comparable: boolean;
                            readonly differing: readonly {
                                readonly collection: string;
                                readonly id: string;
                                readonly live: string | null;
                                readonly scratch: string | null;
                            }[] | null;
                            readonly documents: {
                                readonly live: number | null;
                                readonly scratch: number;
                            };
                            readonly equal: boolean;
                            readonly from: string;
                            readonly from_digest: string | null;
                            readonly live_digest: string | null;
                            readonly processed: number;
                            readonly projection: string;
                            readonly reason?: string;
                            readonly scratch_digest: string;
                            readonly seconds: number;
                            readonly to: string;
                        } | null;
                        /** @enum {string} */
                        readonly state: "running" | "done" | "failed";
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ReflectiveLogsController.read": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_outputs: readonly Record<string, unknown>[];
                        readonly agents_invoked: readonly string[];
                        readonly amendments: readonly Record<string, unknown>[];
                        readonly audit_tags: readonly Record<string, unknown>[];
                        readonly cache_hit: boolean;
                        readonly council_votes: readonly Record<string, unknown>[];
                        readonly created_at: string;
                        readonly event_refs: readonly string[];
                        readonly final_answer: string | null;
                        readonly final_confidence: number;
                        readonly ground_truth_label: readonly Record<string, unknown>[];
                        readonly iteration_trace: readonly Record<string, unknown>[];
                        readonly job_id: string;
                        readonly job_seed: string;
                        readonly log_id: string;
                        readonly missing_artifacts: readonly unknown[];
                        readonly qcp_summary: Record<string, unknown> | null;
                        readonly query_id: string;
                        readonly query_text_hash: string;
                        readonly repair_loops: number;
                        readonly replayable: boolean;
                        readonly runtime_metrics: Record<string, unknown>;
                        readonly sem_snapshot_hash: string;
                        readonly signature: string;
                        readonly snapshots: {
                            readonly [key: string]: string;
                        };
                        readonly source: string;
                        readonly system_version: string;
                        readonly user_feedback: readonly Record<string, unknown>[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-LOG_INVALID"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ReflectiveLogsController.patch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "final_answer": "red"
                 *     }
                 */
                readonly "application/json": Record<string, unknown>;
            };
        };
        readonly responses: {
            readonly 400: components["responses"]["400.INVALID_INPUT-LOG_INVALID"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-IMMUTABLE_FIELD-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ReflectiveLogsController.amendments": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly amendment_id: string;
                            readonly author: string;
                            readonly author_role: string;
                            readonly changes: Record<string, unknown>;
                            readonly created_at: string;
                            readonly effect: string;
                            readonly target_log_id: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-LOG_INVALID"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ReflectiveLogsController.amend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "effect": "note",
                 *       "changes": {
                 *         "note": "checked by hand"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["AmendmentDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly amendment_id: string;
                        readonly author: string;
                        /** @enum {string} */
                        readonly author_role: "owner" | "admin" | "council" | "emergency";
                        readonly changes: Record<string, unknown>;
                        readonly created_at: string;
                        /** @enum {string} */
                        readonly effect: "note" | "override_suggestion" | "revalidate";
                        readonly target_log_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-LOG_INVALID"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ReflectiveLogsController.tag": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "tag": "sample-2026-q4",
                 *       "note": "drawn for the quarterly look"
                 *     }
                 */
                readonly "application/json": components["schemas"]["AuditTagDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly author: string;
                        readonly created_at: string;
                        readonly event_id: string;
                        readonly note?: string;
                        readonly tag: string;
                        readonly target_log_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ReflectiveLogsController.label": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "correct": true,
                 *       "note": "as the person said it"
                 *     }
                 */
                readonly "application/json": components["schemas"]["GroundTruthDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly author: string;
                        /** @enum {string} */
                        readonly author_role: "owner" | "admin" | "council" | "emergency";
                        readonly correct: boolean;
                        readonly created_at: string;
                        readonly event_id: string;
                        readonly job_id: string;
                        readonly node_id: string;
                        readonly note?: string;
                        readonly target_log_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ReflectiveLogsController.verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly log_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly log_id: string;
                        readonly quarantined: boolean;
                        readonly reason: null | string;
                        readonly valid: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-WAIT_TIMEOUT"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ReplayController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly job_id?: string;
                readonly limit?: number;
                readonly verdict?: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly actor_id: string;
                            readonly authoritative: boolean;
                            readonly error_code: string | null;
                            readonly forced_by: string | null;
                            readonly job_id: string;
                            readonly mode: string;
                            readonly replay_id: string;
                            readonly requested_at: string;
                            /** @enum {string} */
                            readonly status: "running" | "done" | "refused";
                            /** @enum {string|null} */
                            readonly verdict: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH" | null;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ReplayController.read": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly replay_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly authoritative: boolean;
                        readonly divergence: null | {
                            readonly causes: {
                                readonly computed: readonly {
                                    readonly event_number: number;
                                    readonly event_type: string;
                                    readonly hash: string | null;
                                }[];
                                readonly recorded: readonly {
                                    readonly event_number: number;
                                    readonly event_type: string;
                                    readonly hash: string | null;
                                }[];
                            };
                            readonly computed: string | null;
                            readonly computed_event: string | null;
                            readonly computed_hash: string | null;
                            readonly differences: readonly {
                                readonly computed: string | null;
                                readonly pointer: string;
                                readonly recorded: string | null;
                            }[];
                            readonly differences_total: number;
                            readonly error_code: string;
                            readonly event_number: number;
                            readonly event_type: string;
                            readonly fault: string | null;
                            readonly pointer: string;
                            readonly recorded: string | null;
                            readonly recorded_event: string | null;
                            readonly recorded_hash: string | null;
                            readonly stream: string;
                        };
                        readonly divergences_total: number;
                        readonly error_code: string | null;
                        readonly forced_by: string | null;
                        readonly further: readonly Record<string, unknown>[];
                        readonly job_id: string;
                        readonly mocked: readonly string[];
                        readonly mode: string;
                        readonly replay_id: string;
                        readonly status: string;
                        readonly steps: readonly {
                            readonly checked: number;
                            readonly cost_us: number;
                            readonly detail: string;
                            readonly step: string;
                            readonly verdict: string;
                        }[];
                        /** @enum {string|null} */
                        readonly verdict: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH" | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "ReplayController.forceContinue": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly replay_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /** @example {} */
                readonly "application/json": components["schemas"]["ForceContinueDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly authoritative: boolean;
                        readonly divergence: {
                            readonly causes: {
                                readonly computed: readonly {
                                    readonly event_number: number;
                                    readonly event_type: string;
                                    readonly hash: string | null;
                                }[];
                                readonly recorded: readonly {
                                    readonly event_number: number;
                                    readonly event_type: string;
                                    readonly hash: string | null;
                                }[];
                            };
                            readonly computed: string | null;
                            readonly computed_event: string | null;
                            readonly computed_hash: string | null;
                            readonly differences: readonly {
                                readonly computed: string | null;
                                readonly pointer: string;
                                readonly recorded: string | null;
                            }[];
                            readonly differences_total: number;
                            readonly error_code: string;
                            readonly event_number: number;
                            readonly event_type: string;
                            readonly fault: string | null;
                            readonly pointer: string;
                            readonly recorded: string | null;
                            readonly recorded_event: string | null;
                            readonly recorded_hash: string | null;
                            readonly stream: string;
                        };
                        readonly divergences_total: number;
                        readonly error_code: string | null;
                        readonly forced_by: string | null;
                        readonly further: readonly Record<string, unknown>[];
                        readonly job_id: string;
                        readonly mocked: readonly string[];
                        readonly mode: string;
                        readonly replay_id: string;
                        readonly status: string;
                        readonly steps: readonly {
                            readonly checked: number;
                            readonly cost_us: number;
                            readonly detail: string;
                            readonly step: string;
                            readonly verdict: string;
                        }[];
                        /** @enum {string|null} */
                        readonly verdict: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH" | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-FORCE_CONTINUE_REQUIRED-INTEGRITY_FAILURE-MISSING_PERSISTED_AGENT_OUTPUT-MISSING_SNAPSHOT-REPLAY_TIMEOUT"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "HaltsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly status?: "halted" | "cleared";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly cause: {
                                readonly event_id: string;
                                readonly stream: string;
                                readonly type: string;
                            };
                            readonly cleared: {
                                readonly action_request_id?: string;
                                readonly approvals?: readonly string[];
                                readonly cleared_at?: string;
                                readonly verified_by?: string;
                            } | null;
                            readonly halt_event_id: string;
                            readonly pinned_by: {
                                readonly at_least: boolean;
                                readonly jobs: number;
                            };
                            readonly position: number;
                            readonly since: string;
                            readonly snapshot_id: string;
                            readonly status: string;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "HaltsController.clear": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly snapshot_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "justification": "restored from the backup of 20 November"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ClearHaltDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly halt_event_id: string;
                        readonly pending: boolean;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly snapshot_id: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "ReplayController.request": {
        readonly parameters: {
            readonly query?: {
                readonly unredacted?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "job_id": "job:bfb1808141396b618258ab032021660b",
                 *       "mode": "audit"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ReplayDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly authoritative: boolean;
                        readonly divergence: null | {
                            readonly causes: {
                                readonly computed: readonly {
                                    readonly event_number: number;
                                    readonly event_type: string;
                                    readonly hash: string | null;
                                }[];
                                readonly recorded: readonly {
                                    readonly event_number: number;
                                    readonly event_type: string;
                                    readonly hash: string | null;
                                }[];
                            };
                            readonly computed: string | null;
                            readonly computed_event: string | null;
                            readonly computed_hash: string | null;
                            readonly differences: readonly {
                                readonly computed: string | null;
                                readonly pointer: string;
                                readonly recorded: string | null;
                            }[];
                            readonly differences_total: number;
                            readonly error_code: string;
                            readonly event_number: number;
                            readonly event_type: string;
                            readonly fault: string | null;
                            readonly pointer: string;
                            readonly recorded: string | null;
                            readonly recorded_event: string | null;
                            readonly recorded_hash: string | null;
                            readonly stream: string;
                        };
                        readonly divergences_total: number;
                        readonly error_code: string | null;
                        readonly forced_by: string | null;
                        readonly further: readonly Record<string, unknown>[];
                        readonly job_id: string;
                        readonly mocked: readonly string[];
                        readonly mode: string;
                        readonly replay_id: string;
                        readonly status: string;
                        readonly steps: readonly {
                            readonly checked: number;
                            readonly cost_us: number;
                            readonly detail: string;
                            readonly step: string;
                            readonly verdict: string;
                        }[];
                        /** @enum {string|null} */
                        readonly verdict: "MATCH" | "MATCH_WITH_ERASED_INPUTS" | "MISMATCH" | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE-MISSING_PERSISTED_AGENT_OUTPUT-MISSING_SNAPSHOT-REPLAY_TIMEOUT"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "SweepsController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly authoritative: boolean;
                            readonly counts: {
                                readonly [key: string]: number;
                            };
                            readonly ended_at: string | null;
                            readonly eta_seconds: number | null;
                            readonly from: string;
                            /** @enum {string} */
                            readonly mode: "audit";
                            readonly position: string;
                            readonly processed: number;
                            readonly rate: number;
                            readonly reason: string | null;
                            readonly requested_by: string;
                            readonly started_at: string;
                            /** @enum {string} */
                            readonly state: "running" | "done" | "cancelled" | "interrupted" | "failed";
                            readonly summary_event_id: string | null;
                            readonly sweep_id: string;
                            readonly threads: number;
                            readonly to: string;
                            readonly total: number;
                            readonly unmatched: readonly unknown[];
                            readonly unmatched_total: number;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "SweepsController.begin": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "threads": 1
                 *     }
                 */
                readonly "application/json": components["schemas"]["SweepDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly authoritative: boolean;
                        readonly counts: {
                            readonly [key: string]: number;
                        };
                        readonly ended_at: string | null;
                        readonly eta_seconds: number | null;
                        readonly from: string;
                        /** @enum {string} */
                        readonly mode: "audit";
                        readonly position: string;
                        readonly processed: number;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly requested_by: string;
                        readonly started_at: string;
                        /** @enum {string} */
                        readonly state: "running" | "done" | "cancelled" | "interrupted" | "failed";
                        readonly summary_event_id: string | null;
                        readonly sweep_id: string;
                        readonly threads: number;
                        readonly to: string;
                        readonly total: number;
                        readonly unmatched: readonly unknown[];
                        readonly unmatched_total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "SweepsController.get": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly sweep_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly authoritative: boolean;
                        readonly counts: {
                            readonly [key: string]: number;
                        };
                        readonly ended_at: string | null;
                        readonly eta_seconds: number | null;
                        readonly from: string;
                        /** @enum {string} */
                        readonly mode: "audit";
                        readonly position: string;
                        readonly processed: number;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly requested_by: string;
                        readonly started_at: string;
                        /** @enum {string} */
                        readonly state: "running" | "done" | "cancelled" | "interrupted" | "failed";
                        readonly summary_event_id: string | null;
                        readonly sweep_id: string;
                        readonly threads: number;
                        readonly to: string;
                        readonly total: number;
                        readonly unmatched: readonly {
                            readonly error_code: string;
                            readonly job_id: string;
                            readonly replay_id: string;
                            readonly verdict: string | null;
                        }[];
                        readonly unmatched_total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "SweepsController.cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly sweep_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /** @example {} */
                readonly "application/json": components["schemas"]["CancelSweepDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly authoritative: boolean;
                        readonly counts: {
                            readonly [key: string]: number;
                        };
                        readonly ended_at: string | null;
                        readonly eta_seconds: number | null;
                        readonly from: string;
                        /** @enum {string} */
                        readonly mode: "audit";
                        readonly position: string;
                        readonly processed: number;
                        readonly rate: number;
                        readonly reason: string | null;
                        readonly requested_by: string;
                        readonly started_at: string;
                        /** @enum {string} */
                        readonly state: "running" | "done" | "cancelled" | "interrupted" | "failed";
                        readonly summary_event_id: string | null;
                        readonly sweep_id: string;
                        readonly threads: number;
                        readonly to: string;
                        readonly total: number;
                        readonly unmatched: readonly unknown[];
                        readonly unmatched_total: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "RouterController.decide": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "query_text": "What is 6 * 7?"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RouteDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        readonly depth: number;
                        readonly route_reason: string;
                        readonly route_trace: Record<string, unknown>;
                        readonly token_budget: number;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-ROUTER_NO_MATCH"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE-ROUTER_NO_SNAPSHOT"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "RouterController.route": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "query_text": "2+2"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RouteDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        readonly depth: number;
                        readonly route_reason: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-ROUTER_NO_MATCH"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "SemKeysController.list": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly prefix?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly string[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "SemController.get": {
        readonly parameters: {
            readonly query?: {
                readonly as_of?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly attribute: string;
                readonly entity_id: string;
                readonly entity_type: string;
                readonly scope: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly exists: boolean;
                        readonly last_updated: string;
                        readonly meta: Record<string, unknown>;
                        readonly source: string;
                        readonly value: unknown;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-SEM_NOT_FOUND"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "SemController.put": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly attribute: string;
                readonly entity_id: string;
                readonly entity_type: string;
                readonly scope: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "value": "blue",
                 *       "timestamp": "2025-11-29T12:00:00Z",
                 *       "notes": "said in passing",
                 *       "meta": {
                 *         "locale": "en"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["PutValueDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly applied: boolean;
                        readonly error_code: null;
                        readonly event_id: string;
                        readonly key: string;
                        readonly position: string;
                        readonly revision: number;
                        readonly success: boolean;
                    };
                };
            };
            /** @description accepted; it goes on */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly applied: boolean;
                        readonly key: string;
                        readonly pending: boolean;
                        readonly request_id: string;
                        readonly success: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR-SEM_WRITE_FAIL"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "SemController.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly attribute: string;
                readonly entity_id: string;
                readonly entity_type: string;
                readonly scope: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly applied: boolean;
                        readonly error_code: null;
                        readonly event_id: string;
                        readonly key: string;
                        readonly position: string;
                        readonly revision: number;
                        readonly success: boolean;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-SEM_NOT_FOUND"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR-SEM_WRITE_FAIL"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "SemController.history": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly attribute: string;
                readonly entity_id: string;
                readonly entity_type: string;
                readonly scope: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly actor: {
                                readonly id: string;
                                readonly role: string;
                            };
                            readonly applied: boolean;
                            readonly event_id: string;
                            readonly position: string;
                            readonly revision: number;
                            readonly source: string;
                            readonly timestamp: string;
                            readonly value: unknown;
                        }[];
                        readonly next_cursor: string | null;
                        readonly position: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT-SEM_NOT_FOUND"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "SemKeysController.register": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "scope": "world",
                 *       "entity_type": "fact",
                 *       "entity_id_raw": "Ohms Law",
                 *       "attribute_raw": "Definition"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegisterKeyDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly canonical_key: string;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR-SEM_WRITE_FAIL"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
    readonly "SemKeysController.resolve": {
        readonly parameters: {
            readonly query: {
                readonly text: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly canonical_key: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 409: components["responses"]["409.INTEGRITY_FAILURE"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
        };
    };
    readonly "GovernanceController.override": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "request_id": "ar-0123456789abcdef0123456789abcdef",
                 *       "proposal_digest": "3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1",
                 *       "reason": "it cannot wait"
                 *     }
                 */
                readonly "application/json": components["schemas"]["OverrideDto"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly council_quorum: number;
                        readonly created_at: string;
                        readonly decision: Record<string, unknown> | null;
                        readonly due_at: string;
                        readonly emergency: Record<string, unknown> | null;
                        readonly event_id: string;
                        readonly evidence: unknown;
                        readonly execution: Record<string, unknown> | null;
                        readonly justification: unknown;
                        readonly kind: string;
                        readonly origin: string;
                        readonly payload: Record<string, unknown>;
                        readonly proposal: Record<string, unknown> | null;
                        readonly proposal_digest: string;
                        readonly request_id: string;
                        readonly requested_by: string;
                        readonly required_approval_type: string;
                        readonly risk_class: string;
                        readonly status: string;
                        readonly tally: {
                            readonly abstain: number;
                            readonly approve: number;
                            readonly reject: number;
                        };
                        readonly timestamp_seeded: string;
                        readonly version: number;
                        readonly votes: readonly {
                            readonly event_id: string;
                            readonly phase: string;
                            readonly reason: unknown;
                            /** @enum {string} */
                            readonly vote: "approve" | "reject" | "abstain";
                            readonly voted_at: string;
                            readonly voter: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["400.INVALID_INPUT"];
            readonly 401: components["responses"]["401.UNAUTHENTICATED"];
            readonly 403: components["responses"]["403.PERMISSION_DENIED-PRIVACY_BLOCKED"];
            readonly 404: components["responses"]["404.NOT_FOUND"];
            readonly 409: components["responses"]["409.CONFLICT-INTEGRITY_FAILURE"];
            readonly 412: components["responses"]["412.PRECONDITION_FAILED"];
            readonly 422: components["responses"]["422.IDEMPOTENCY_KEY_REUSED"];
            readonly 429: components["responses"]["429.RATE_LIMITED"];
            readonly 500: components["responses"]["500.AGENT_ERROR"];
            readonly 503: components["responses"]["503.DATA_UNAVAILABLE"];
            readonly 507: components["responses"]["507.STORAGE_FULL"];
        };
    };
}
